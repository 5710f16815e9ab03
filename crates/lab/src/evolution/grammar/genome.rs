//! A genome: the blocks of a strategy with their settings. Every script contains its genome in a
//! line, so that a family is resumed from its scripts alone.

use std::collections::BTreeMap;

use math::Rng;
use serde::{Deserialize, Serialize};

use super::{
    catalogue,
    kind::{Kind, Role},
    moves::{LATE, MEMBERS, OF_MEMBERS, SHARE},
    setting::{Given, Setting},
};

/// Start of the line that holds a genome.
pub(super) const LINE: &str = "-- genome: ";
/// Most moves of a strategy.
pub(super) const MOST_MOVES: usize = 4;

/// A block of a strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Block {
    /// Name of the block's kind.
    pub(super) is: String,
    /// Settings of the block, by name.
    #[serde(flatten)]
    pub(super) settings: BTreeMap<String, Given>,
}

impl Block {
    pub(super) fn of(kind: &Kind) -> Self {
        Self { is: kind.name.to_owned(), settings: BTreeMap::new() }
    }
}

/// The blocks of a strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Genome {
    pub(super) design: Block,
    pub(super) walk: Block,
    pub(super) moves: Vec<Block>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) choice: Option<Block>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<Block>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) merit: Option<Block>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) restart: Option<Block>,
}

impl Genome {
    /// Reads the genome from a script.
    pub(super) fn read(code: &str, rng: &mut Rng) -> Option<Self> {
        let line = code.lines().find_map(|line| line.trim().strip_prefix(LINE))?;
        let genome: Self = serde_json::from_str(line).ok()?;
        let is_known = |(role, block): (Role, &Block)| catalogue::find(role, &block.is).is_some();
        let is_whole = !genome.moves.is_empty() && genome.blocks().all(is_known);
        is_whole.then(|| genome.mended(rng))
    }

    /// The genome as a line of a script.
    pub(super) fn line(&self) -> String {
        let written = serde_json::to_string(self).unwrap_or_default();
        format!("{LINE}{written}")
    }

    /// All blocks with their roles.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (Role, &Block)> {
        let moves = self.moves.iter().map(|block| (Role::Move, block));
        let optional = [
            (Role::Choice, &self.choice),
            (Role::Model, &self.model),
            (Role::Merit, &self.merit),
            (Role::Restart, &self.restart),
        ];
        let optional =
            optional.into_iter().filter_map(|(role, block)| Some((role, block.as_ref()?)));
        [(Role::Design, &self.design), (Role::Walk, &self.walk)]
            .into_iter()
            .chain(moves)
            .chain(optional)
    }

    /// All blocks with their roles, to be changed.
    pub(super) fn blocks_mut(&mut self) -> impl Iterator<Item = (Role, &mut Block)> {
        let moves = self.moves.iter_mut().map(|block| (Role::Move, block));
        let optional = [
            (Role::Choice, &mut self.choice),
            (Role::Model, &mut self.model),
            (Role::Merit, &mut self.merit),
            (Role::Restart, &mut self.restart),
        ];
        let optional =
            optional.into_iter().filter_map(|(role, block)| Some((role, block.as_mut()?)));
        [(Role::Design, &mut self.design), (Role::Walk, &mut self.walk)]
            .into_iter()
            .chain(moves)
            .chain(optional)
    }

    pub(super) fn has_population(&self) -> bool {
        ["population", "aging"].contains(&self.walk.is.as_str())
    }

    /// Whether a move combines values of members.
    pub(super) fn needs_members(&self) -> bool {
        self.moves.iter().any(|block| OF_MEMBERS.contains(&block.is.as_str()))
    }

    /// The word for the target that the model predicts.
    pub(super) fn target(&self) -> Option<&str> {
        match self.model.as_ref()?.settings.get("target")? {
            Given::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether there is a block of this role and kind.
    pub(super) fn has(&self, role: Role, name: &str) -> bool {
        self.blocks().any(|(of, block)| of == role && block.is == name)
    }

    /// The settings of a block; they depend on the rest of the genome.
    pub(super) fn settings(&self, role: Role, name: &str) -> Vec<Setting> {
        let kind = catalogue::find(role, name);
        let mut settings = kind.map(|kind| kind.settings.to_vec()).unwrap_or_default();
        match role {
            Role::Move => {
                if name == "splice" && self.has(Role::Move, "breed") {
                    // `breed` has the same mutation settings, which then apply to both.
                    settings.clear();
                }
                let choice = self.choice.as_ref().map_or("", |choice| choice.is.as_str());
                if ["shares", "shifting"].contains(&choice) {
                    settings.push(SHARE);
                }
                if choice == "shifting" {
                    settings.push(LATE);
                }
            }
            Role::Walk if !self.has_population() && self.needs_members() => settings.push(MEMBERS),
            _ => {}
        }
        settings
    }

    /// Makes the genome consistent: removes blocks that do not fit, and gives every block exactly
    /// its settings. Missing settings are drawn.
    pub(super) fn mended(mut self, rng: &mut Rng) -> Self {
        let mut seen = Vec::new();
        self.moves.retain(|block| {
            let is_new = !seen.contains(&block.is);
            seen.push(block.is.clone());
            is_new
        });
        self.moves.truncate(MOST_MOVES);
        if self.model.is_none() && self.moves.iter().all(|block| block.is == "anywhere") {
            self.moves.insert(0, named("hamming"));
        }
        match self.moves.len() {
            1 => self.choice = None,
            _ => _ = self.choice.get_or_insert_with(|| named("shares")),
        }
        match &self.model {
            None => self.merit = None,
            Some(model) => {
                let merit = self.merit.get_or_insert_with(|| named("level"));
                if model.is == "frequencies" && merit.is == "gain" {
                    // Predictions of `frequencies` have no unit, so a gain is undefined.
                    *merit = named("bound");
                }
            }
        }
        let predicts = self.model.as_ref().is_some_and(|model| model.is != "process");
        if self.walk.is == "best" {
            // The walk `best` always continues from the best place, so a restart has no effect.
            self.restart = None;
        }
        if let Some(restart) = &mut self.restart
            && restart.is == "promising"
            && !predicts
        {
            restart.is = "far".to_owned();
        }
        self.with_settings(rng)
    }

    fn with_settings(mut self, rng: &mut Rng) -> Self {
        let before = self.clone();
        for (role, block) in self.blocks_mut() {
            let given = std::mem::take(&mut block.settings);
            for setting in before.settings(role, &block.is) {
                let value = match given.get(setting.name) {
                    Some(given) => setting.range.mended(Some(given)),
                    None => setting.range.drawn(rng),
                };
                block.settings.insert(setting.name.to_owned(), value);
            }
        }
        self
    }

    /// Number of blocks that only one of two genomes has.
    pub(super) fn apart(&self, other: &Self) -> usize {
        let one_way = |from: &Self, to: &Self| {
            from.blocks().filter(|(role, block)| !to.has(*role, &block.is)).count()
        };
        one_way(self, other) + one_way(other, self)
    }
}

fn named(name: &str) -> Block {
    Block { is: name.to_owned(), settings: BTreeMap::new() }
}
