//! The main loop of a script, which connects its blocks.

use super::{genome::Genome, kind::Role};

/// The beginning of a search, and the loop over proposals.
pub(super) fn text(genome: &Genome) -> String {
    let choose = if genome.model.is_some() { "choose" } else { "propose" };
    let learns = ["confidence", "thompson", "variable"];
    let rewards = learns.iter().any(|name| genome.has(Role::Choice, name));
    let restarts = genome.restart.is_some();
    let accepts = genome.walk.is != "best";
    let counts = rewards || restarts;
    let mut lines =
        vec!["begin()", "if best == nil then", "    return -- the space is empty", "end"];
    match (genome.has_population(), accepts) {
        (true, _) => lines.extend([
            "for at = min(knobs.population, #ranking), 1, -1 do",
            "    insert(members, ranking[at])",
            "end",
        ]),
        (false, true) => lines.push("current = best"),
        (false, false) => {}
    }
    if counts {
        lines.push(match restarts {
            true => "local record, idle = best.cost, 0 -- since the last new beginning",
            false => "local record = best.cost",
        });
    }
    let ask = match rewards {
        true => format!("    local made, move = {choose}()"),
        false => format!("    local made = {choose}()"),
    };
    lines.extend(["while true do", &ask]);
    lines.extend([
        "    made = made or problem.unknown()",
        "    if made == nil then",
        "        return -- everything is known",
        "    end",
    ]);
    lines.push(match accepts || counts {
        true => "    local place = visit(made)",
        false => "    visit(made)",
    });
    if rewards {
        lines.extend([
            "    if move ~= nil then",
            "        reward(move, place.cost < record)",
            "    end",
        ]);
    }
    if accepts {
        lines.push("    accept(place)");
    }
    if restarts {
        lines.extend([
            "    idle = if place.cost < record then 0 else idle + 1",
            "    record = min(record, place.cost)",
            "    if idle >= knobs.patience then",
            "        local start = leave() or problem.unknown()",
            "        if start == nil then",
            "            return -- everything is known",
            "        end",
            "        place = visit(start)",
            "        settle(place)",
            "        record, idle = place.cost, 0",
            "    end",
        ]);
    } else if rewards {
        lines.push("    record = min(record, place.cost)");
    }
    lines.push("end");
    lines.join("\n") + "\n"
}
