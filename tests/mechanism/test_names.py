"""One gate for every name: what passes is safe in C, in Python, in a path and on a page."""

import keyword

import pytest

from symvi.mechanism.names import checked_name, did_you_mean, shown


@pytest.mark.parametrize("name", ["a", "leg_2", "Crank", "x" * 63, "l1", "main_body"])
def test_plain_names_pass_unchanged(name):
    assert checked_name(name) == name
    assert name.isidentifier()


@pytest.mark.parametrize(
    "name",
    [
        "", " ", "a b", "a-b", "1st", "_hidden", "a.b", "../etc/passwd", "a/b", "C:\\x", "a;", "a\n", "a\x00", "a\r",
        'x"; system("rm")', "*/", "//", "#define", "Ärm", "arm\u200b", "\u202egnp", "ａrm", "x" * 64, "x" * 10_000,
        "<script>", "%s", "{name}", "world", "World", "WORLD",
    ],
)  # fmt: skip
def test_hostile_names_are_refused(name):
    with pytest.raises(ValueError):
        checked_name(name)


@pytest.mark.parametrize("name", ["int", "INT", "restrict", "class", "constexpr", "lambda", "None", "nullptr", "NULL"])
def test_words_of_the_languages_are_refused_in_any_case(name):
    with pytest.raises(ValueError, match="reserved"):
        checked_name(name)


def test_every_python_keyword_is_refused():
    for word in keyword.kwlist:
        with pytest.raises(ValueError):
            checked_name(word)


@pytest.mark.parametrize("value", [None, 3, 1.5, b"arm", ["arm"], {}])
def test_only_texts_are_names(value):
    with pytest.raises(ValueError, match="text"):
        checked_name(value)


def test_what_errors_show_is_short_ascii_on_one_line():
    class Unprintable:
        def __repr__(self):
            raise RuntimeError

    for value in [
        "x" * 10_000,
        "\x1b[31mred\n",
        "\u202e",
        10**5000,
        list(range(10**5)),
        Unprintable(),
        {"a": [1] * 99},
    ]:
        text = shown(value)
        assert text.isascii() and text.isprintable() and len(text) <= 120


def test_the_nearest_word_is_offered():
    assert did_you_mean("revolut", ["fixed", "revolute"]) == "did you mean 'revolute'?"
    assert did_you_mean("HIP", ["hip", "knee"]) == "did you mean 'hip'?"
    assert did_you_mean("q", ["hip", "knee"]) == "known: hip, knee"
    assert did_you_mean("q", []) == "none is known"
    assert did_you_mean("q", map(str, range(99))).endswith("11, ...")
