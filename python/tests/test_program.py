"""The program: found, called, and its endings."""

import os
import subprocess
import sys

import pytest

import autobench as ab
from autobench import _program, _screen


def test_the_variable_names_the_program(program):
    assert _program.find() == program


def test_a_variable_that_names_no_program_is_refused(monkeypatch):
    monkeypatch.setenv("AUTOBENCH", "/nowhere/autobench")
    with pytest.raises(ab.ProgramNotFoundError, match="is no program; give the path"):
        _program.find()


def test_without_the_variable_scripts_and_then_the_path_are_searched(program, monkeypatch):
    monkeypatch.delenv("AUTOBENCH")
    monkeypatch.setattr(_program, "_script_folders", lambda: iter([program.parent]))
    assert _program.find() == program
    monkeypatch.setattr(_program, "_script_folders", lambda: iter([]))
    monkeypatch.setenv("PATH", os.fspath(program.parent))
    assert _program.find() == program
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ab.ProgramNotFoundError, match="reinstall `autobench-gpu`"):
        _program.find()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (1, ab.ProgramFault),
        (2, ab.SettingsError),
        (3, ab.BenchmarkError),
        (4, ab.DeviceError),
        (5, ab.NothingValidError),
        (6, ab.ComparisonError),
        (99, ab.ProgramFault),
    ],
)
def test_exit_codes_are_exceptions(code, kind):
    error = _program.failure(code, "writing to out\nerror: it failed\n  hint: try again\n")
    assert type(error) is kind
    assert str(error) == "it failed; try again"
    assert error.hint == "try again"


def test_a_signal_is_a_fault_of_the_program():
    assert "ended by the signal SIGKILL" in str(_program.failure(-9, ""))
    assert str(_program.failure(1, "")) == "`autobench` ended with exit code 1"
    other = _program.failure(2, "ls: unrecognized option\nTry 'ls --help'\n")
    assert str(other) == "`autobench` ended with exit code 2: Try 'ls --help'"


def test_an_unknown_option_is_an_unknown_argument():
    said = "error: unexpected argument '--trial-timout' found\n\n"
    tip = "  tip: a similar argument exists: '--trial-timeout'\n\nUsage: autobench run\n"
    assert str(_program.failure(2, said)) == "there is no argument `trial_timout`"
    assert _program.failure(2, said + tip).hint == "do you mean `trial_timeout`?"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("--time is a number above 0", "`time` is a number above 0"),
        ("invalid value 'x' for '--trial-timeout <SECONDS>': no", "`trial_timeout`: no"),
        ("see `autobench show out/a --journal`", "see `autobench show out/a --journal`"),
    ],
)
def test_options_in_errors_are_keyword_arguments(said, shown):
    assert str(_program.failure(2, f"error: {said}\n")).endswith(shown)
    assert str(_program.failure(2, f"error: no\n  hint: {said}\n")).endswith(shown)


def test_a_wrong_description_has_no_file_that_the_user_knows():
    said = "error: benchmark `/tmp/autobench-k3_x9q/add` cannot be used: the guest's benchmark: "
    why = "restrictions[0]: `BLOK > 1`, character 1: there is no `BLOK`"
    assert str(_program.failure(3, said + why)) == why
    mine = "benchmark `./add.yaml` cannot be used: line 2: it is empty"
    assert str(_program.failure(3, "error: " + mine)) == mine


def test_last_words_are_unfolded_and_have_no_escapes():
    bar, colour = "\r\x1b[2K⠁ size 64\r\x1b[2K", "\x1b[1;31m"
    written = f"{bar}{colour}error: \x1b[0ma long\r\nsentence\r\n  hint: go\r\non\r\n"
    assert _program.last_words(written) == ("a long sentence", "go on")


def test_keyword_arguments_are_options():
    options = {
        "budget": 3,
        "trial_timeout": 1.5,
        "no_refine": True,
        "hot": False,
        "strategy": None,
        "bound": ["a<=1", "b<=2"],
        "param": {"BLOCK": [1, 2]},
    }
    assert _program.flags(options) == [
        "--budget=3",
        "--trial-timeout=1.5",
        "--no-refine",
        "--bound=a<=1",
        "--bound=b<=2",
        "--param=BLOCK=1,2",
    ]


def test_the_module_is_the_program(program):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "autobench"]
    ended = subprocess.run([*command, "show", "x"], env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "knee      64 by kneedle\n")
    ended = subprocess.run([*command, "dance", "x"], env=environment, capture_output=True)
    assert ended.returncode == 2


def shown(monkeypatch, capsys, text, *, notebook=False, quiet=False):
    monkeypatch.setattr(_screen, "_is_notebook", lambda: notebook)
    with _screen.Screen(quiet=quiet) as screen:
        os.write(screen.child, text.encode())
        screen.release()
        while screen.ready():
            pass
    return (*capsys.readouterr(), screen.written)


def test_what_the_program_prints_is_shown_up_to_its_error(monkeypatch, capsys):
    out, err, kept = shown(monkeypatch, capsys, "writing to out\nerror: no\n  hint: go\n")
    assert (out, err) == ("", "writing to out\n")
    assert _program.last_words(kept) == ("no", "go")


def test_a_quiet_study_shows_nothing(monkeypatch, capsys):
    assert shown(monkeypatch, capsys, "µs\n", quiet=True) == ("", "", "µs\n")


def test_a_notebook_has_one_output_that_is_written_over(monkeypatch, capsys):
    lines = []
    monkeypatch.setattr(_screen, "_updated_output", lambda: lines.append)
    text = "writing to out\n\r\x1b[2Ksize 64\r\x1b[2Ksize 128"
    out, err, _ = shown(monkeypatch, capsys, text, notebook=True)
    assert lines == ["size 128", "writing to out"]
    assert out == err == ""


@pytest.mark.parametrize("notebook", [False, True])
def test_an_error_behind_a_progress_bar_is_not_shown(monkeypatch, capsys, notebook):
    lines = []
    monkeypatch.setattr(_screen, "_updated_output", lambda: lines.append)
    bar, error = "\r\x1b[2Ksize 64", "\x1b[1;31merror:\x1b[0m no\n\x1b[32m  hint:\x1b[0m go\n"
    text = f"writing to out\n{bar}\r\x1b[2K{error}"
    _, err, kept = shown(monkeypatch, capsys, text, notebook=notebook)
    assert err == ("" if notebook else f"writing to out\n{bar}\r\x1b[2K")
    assert lines == (["size 64", "writing to out"] if notebook else [])
    assert _program.last_words(kept) == ("no", "go")


def test_a_note_in_a_notebook_may_arrive_in_parts(monkeypatch):
    lines = []
    monkeypatch.setattr(_screen, "_updated_output", lambda: lines.append)
    output = _screen._Output()
    for part in ("\r\x1b[2Ksize 64\r\x1b[2Kwriting ", "to out", "\n\r\x1b[2Ksize 96"):
        output.show(part)
    output.end()
    assert lines[-1] == "writing to out"
