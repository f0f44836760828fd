"""Generated C and callers of all of its entry points: one that runs, one for proofs on any numbers."""

from __future__ import annotations

import re
from pathlib import Path

from symvi.mechanism import Mechanism
from symvi.simulate.solver_build import text_of
from tests.support import lean

STRICT = (
    "-std=c99 -pedantic -Wall -Wextra -Werror -Wconversion -Wdouble-promotion -Wfloat-equal -Wfloat-conversion "
    "-Wshadow -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla"
).split()
CALLER = """\
#include "NAME.h"

int main(void)
{
    static NAME_parameters parameters;
    static NAME_options options;
    static NAME_state state;
    static NAME_input inputs[1];
    static NAME_work work;
    static NAME_ledger ledger;
    static NAME_info info;
    static NAME_frame frames[3];
    NAME_real one = ONE;
    NAME_real other = one;
    NAME_real linear[3];
    NAME_real spin[3];
DECLARED
    const char version[] = CAPITALS_VERSION;
    int done = (int)version[0];
    int status = NAME_check(CAPITALS_ABI, CAPITALS_DIGEST, CAPITALS_SIZES);
    if (status == 0) {
        status = NAME_reset(&NAME_described, &options, &state, inputs, &work);
    }
    if (status == 0) {
        status = NAME_init(&parameters, &options, &state, inputs, &work);
    }
    if (status < 0) {
        return 1;
    }
CALLED
    NAME_parameters_default(&parameters);
    if (NAME_update_parameters(&parameters) < 0) {
        return 3;
    }
    NAME_options_default(&options);
    NAME_state_default(&state);
    NAME_input_default(inputs);
    one = NAME_project(&parameters, &state, inputs, &work, 20);
    status = NAME_start(&parameters, &state, inputs, &work, 1, &other);
    if (status < 0) {
        return 4;
    }
    status = NAME_step(&parameters, &options, &state, inputs, &work, &info);
FORCES
    NAME_energy(&parameters, &state, inputs, &work, &one, &other);
    NAME_momentum(&parameters, &state, inputs, &work, linear, spin);
    NAME_observe(&parameters, &state, inputs, &work, frames);
    if (status >= 0) {
        status = NAME_rollout(&parameters, &options, &state, inputs, 0, &work, 1000, 500, frames, &done, &ledger);
    }
    if (status >= 0) {
        int traced = 0;
        status = NAME_trail(&parameters, &options, &state, inputs, 0, &work, 4, 2, 4, frames, &traced, &ledger);
    }
    return ((status < 0) || (done != 1000)) ? 2 : 0;
}
"""
PROOF = """\
#include "NAME.h"

volatile int choice;
volatile NAME_real number;

NAME_parameters parameters;
NAME_options options;
NAME_state state;
NAME_input inputs[3];
NAME_work work;
NAME_info info;
NAME_frame frames[3];
NAME_ledger ledger;
NAME_real one, other, linear[3], spin[3];
const char unlike[128] = "unlike";

/*@ assigns ((char *)record)[0 .. size - 1] \\from \\nothing; */
void anything(void *record, unsigned long size);

/* Every entry point, on any numbers, in any order. Records that hold anything at all from the start hold no more
   after a call, so one turn of the loop, and the last look at it, stand for all. */
void prove(void)
{
DECLARED
    int status = NAME_check(choice, (choice != 0) ? CAPITALS_DIGEST : unlike, (choice != 0) ? CAPITALS_SIZES : 1u);
    int done = 0;
    NAME_options_default(&options);
    options.tolerance = number;
    options.extrapolate = choice;
    options.max_iterations = (choice != 0) ? 50 : ((choice != 0) ? 2000000 : 0);
    options.max_halvings = (choice != 0) ? 20 : ((choice != 0) ? 2000 : -1);
    options.fixed_iterations = (choice != 0) ? 3 : ((choice != 0) ? 0 : ((choice != 0) ? 1001 : -1));
    options.substeps = choice;
OPTIONS
    anything(&parameters, sizeof(parameters));
    anything(&state, sizeof(state));
    anything(inputs, sizeof(inputs));
    anything(&work, sizeof(work));
    anything(&info, sizeof(info));
    anything(frames, sizeof(frames));
    anything(&ledger, sizeof(ledger));
    anything(&one, sizeof(one));
    anything(&other, sizeof(other));
    anything(linear, sizeof(linear));
    anything(spin, sizeof(spin));
    while (choice != 0) {
        NAME_real *const rows = (choice != 0) ? &one : &other;
        if (choice == 1) {
            NAME_parameters_default(&parameters);
            NAME_state_default(&state);
            NAME_input_default(inputs);
        } else if (choice == 2) {
            status = NAME_init(&parameters, &options, &state, inputs, &work);
        } else if (choice == 3) {
            status = NAME_start(&parameters, &state, inputs, &work, choice, (choice != 0) ? rows : 0);
        } else if (choice == 4) {
            status = NAME_step(&parameters, &options, &state, inputs, &work, &info);
        } else if (choice == 5) {
            status = NAME_rollout(&parameters, &options, &state, inputs, (choice != 0) ? 1 : ((choice != 0) ? 0 : -1),
                                  &work, 2, (choice != 0) ? 1 : ((choice != 0) ? 2 : 0),
                                  (choice != 0) ? frames : 0, &done, (choice != 0) ? &ledger : 0);
        } else if (choice == 12) {
            status = NAME_trail(&parameters, &options, &state, inputs, (choice != 0) ? 1 : ((choice != 0) ? 0 : -1),
                                &work, 2, (choice != 0) ? 1 : ((choice != 0) ? 2 : 0),
                                (choice != 0) ? 1 : ((choice != 0) ? 2 : 0),
                                (choice != 0) ? frames : 0, &done, (choice != 0) ? &ledger : 0);
        } else if (choice == 6) {
            NAME_observe(&parameters, &state, inputs, &work, frames);
        } else if (choice == 7) {
            NAME_energy(&parameters, &state, inputs, &work, &one, &other);
        } else if (choice == 8) {
            NAME_momentum(&parameters, &state, inputs, &work, linear, spin);
        } else if (choice == 9) {
            one = NAME_project(&parameters, &state, inputs, &work, (choice != 0) ? 5 : -1);
        } else if (choice == 11) {
            status = NAME_update_parameters(&parameters);
        } else if (choice == 10) {
CALLED
        } else {
FORCES
        }
    }
}
"""
OPTIONAL = {  # where the header has it: what to declare, and the call
    "place": (
        "    static NAME_real coordinates[CAPITALS_COORDINATES];\n    static NAME_real rates[CAPITALS_COORDINATES];",
        "    NAME_coordinates(&parameters, &state, inputs, &work, coordinates, rates);\n"
        "    status = NAME_place(&parameters, &state, inputs, &work, coordinates, rates);",
    ),
    "reactions": (
        "    static NAME_real reactions{size};",
        "    status = NAME_reactions(&parameters, &state, inputs, &work, reactions);",
    ),
    "contacts": (
        "    static NAME_contact contacts{size};",
        "    status = NAME_contacts(&parameters, &state, inputs, &work, contacts);",
    ),
}
SIZES = {"reactions": r"_real reaction(\[\d+\]\[6\])\);", "contacts": r"_contact contacts(\[\d+\])\);"}


def written(folder: Path, mechanism: Mechanism, real: str, layout: str = "auto", coordinates: str = "maximal") -> str:
    """Write a mechanism's C, `caller.c` that runs it and `proof.c` into a folder; the prefix."""
    text = text_of(mechanism, layout, real, coordinates=coordinates)
    header = text.files[f"{text.prefix}.h"]
    files = {**text.files, "caller.c": _filled(CALLER, text.prefix, header, real)}
    for file, contents in files.items():
        (folder / file).write_text(contents, encoding="utf-8")
    (folder / "proof").mkdir(exist_ok=True)
    (folder / "proof" / "proof.c").write_text(_filled(PROOF, text.prefix, header, real), encoding="utf-8")
    return text.prefix


def _filled(caller: str, prefix: str, header: str, real: str) -> str:
    declared, called = [], {"place": "", "reactions": "", "contacts": ""}
    for name, (declaration, call) in OPTIONAL.items():
        if re.search(rf" {prefix}_{name}\(", header):
            size = re.search(SIZES[name], header)[1] if name in SIZES else ""
            declared.append(declaration.format(size=size) if size else declaration)
            called[name] = call
    steering = "    options.papers_method = choice;\n    options.complementarity = number;"
    found = {
        "DECLARED": "\n".join(declared),
        "CALLED": called["place"],
        "FORCES": called["reactions"] + "\n" + called["contacts"],
        "OPTIONS": steering if "papers_method" in header else "",
        "ONE": "0.0f" if real == "float" else "0.0",
        "NAME": prefix,
        "CAPITALS": prefix.upper(),
    }
    for mark, text in found.items():
        caller = re.sub(
            rf"^{mark}$" if mark in ("DECLARED", "CALLED", "FORCES", "OPTIONS") else mark, text, caller, flags=re.M
        )
    return "\n".join(line for line in caller.splitlines() if line.strip()) + "\n"


# --- lean texts -------------------------------------------------------------------------------------------------------
LEAN_CALLER = """\
#include "NAME.h"

int main(void)
{
    static NAME_parameters parameters;
    static NAME_options options;
    static NAME_state state;
    static NAME_input input;
    static NAME_work work;
    static NAME_info info;
    NAME_real change = ONE;
    const char version[] = CAPITALS_VERSION;
    int status = NAME_check(CAPITALS_ABI, CAPITALS_DIGEST, CAPITALS_SIZES) + (int)version[0] - (int)version[0];
    if (status == 0) {
        status = NAME_reset(&NAME_described, &options, &state, &input, &work);
    }
    if (status == 0) {
        status = NAME_init(&parameters, &options, &state, &input, &work);
    }
    NAME_parameters_default(&parameters);
    if (NAME_update_parameters(&parameters) < 0) {
        return 3;
    }
    NAME_options_default(&options);
    NAME_state_default(&state);
    NAME_input_default(&input);
    for (int knot = 0; (knot < 3) && (status >= 0); knot++) {
        status = NAME_start(&parameters, &state, &input, &work, knot, &change);
    }
    for (int n = 0; (n < 1000) && (status >= 0); n++) {
        status = NAME_step(&parameters, &options, &state, &input, &work, &info);
    }
    return (status < 0) ? 1 : 0;
}
"""
LEAN_PROOF = """\
#include "NAME.h"

volatile int choice;
volatile NAME_real number;

NAME_parameters parameters;
NAME_options options;
NAME_state state;
NAME_input input;
NAME_work work;
NAME_info info;
NAME_real change;
const char unlike[128] = "unlike";

/*@ assigns ((char *)record)[0 .. size - 1] \\from \\nothing; */
void anything(void *record, unsigned long size);

/* Every entry point, on any numbers, in any order, as above. */
void prove(void)
{
    int status = NAME_check(choice, (choice != 0) ? CAPITALS_DIGEST : unlike, (choice != 0) ? CAPITALS_SIZES : 1u);
    NAME_options_default(&options);
    options.tolerance = number;
    options.extrapolate = choice;
    options.fixed_iterations = (choice != 0) ? 3 : ((choice != 0) ? 0 : ((choice != 0) ? 1001 : -1));
    anything(&parameters, sizeof(parameters));
    anything(&state, sizeof(state));
    anything(&input, sizeof(input));
    anything(&work, sizeof(work));
    anything(&info, sizeof(info));
    while (choice != 0) {
        if (choice == 1) {
            NAME_parameters_default(&parameters);
            NAME_state_default(&state);
            NAME_input_default(&input);
        } else if (choice == 2) {
            status = NAME_init(&parameters, &options, &state, &input, &work);
        } else if (choice == 3) {
            status = NAME_start(&parameters, &state, &input, &work, choice, (choice != 0) ? &change : 0);
        } else if (choice == 4) {
            status = NAME_step(&parameters, &options, &state, &input, &work, &info);
        } else if (choice == 5) {
            status = NAME_update_parameters(&parameters);
        } else {
            anything(&work, sizeof(work));
        }
    }
}
"""


def written_lean(folder: Path, mechanism: Mechanism, real: str, layout: str = "auto", coordinates: str = "tree") -> str:
    """The same as `written` of a lean text, which has fewer entry points."""
    sources = lean.text(mechanism, real, coordinates, True, layout)
    header = sources.files[f"{sources.name}.h"]
    files = {**sources.files, "caller.c": _filled(LEAN_CALLER, sources.name, header, real)}
    for file, contents in files.items():
        (folder / file).write_text(contents, encoding="utf-8")
    (folder / "proof").mkdir(exist_ok=True)
    (folder / "proof" / "proof.c").write_text(_filled(LEAN_PROOF, sources.name, header, real), encoding="utf-8")
    return sources.name
