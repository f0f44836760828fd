"""Contacts on a page: points and forces in every keyframe, the ground where bodies stand."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from symvi.mechanism import Body, Box, Contact, Mechanism
from symvi.page import write_page
from symvi.page.contact_arrows import LONGEST, contact_view, plane_height
from symvi.page.keyframes import choose_keyframes
from symvi.simulate import Simulator, contact_history

UP = np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def landed():
    """A cube let go 0.1 m above a floor at z = 0.5 m."""
    cube = Body(name="cube", mass=2.0, shape=Box(size=(0.4, 0.4, 0.4)), position=(0.0, 0.0, 0.8))
    floor = Contact(name="floor", child="cube", whole_shape=True, parent_anchor=(0.0, 0.0, 0.5), friction=0.5)
    return Simulator(Mechanism(name="cube", bodies=[cube], contacts=[floor])).simulate(0.5, 0.01)


def test_arrows_are_the_forces_to_scale(landed):
    frames = choose_keyframes(landed, 2001, None)
    view = contact_view(landed, frames, 2.0)
    assert view.names == tuple(f"floor.{k}" for k in (0, 2, 4, 6))  # those above never touch
    weight = 2.0 * 9.81
    assert view.arrow[-1].sum(axis=0) / view.scale == pytest.approx([0.0, 0.0, weight], abs=1e-6 * weight)
    assert not view.arrow[1].any()  # in flight
    assert np.linalg.norm(view.arrow, axis=-1).max() <= LONGEST * 2.0 * (1.0 + 1e-12)  # the impact too
    assert view.point[-1, 0] == pytest.approx([-0.2, -0.2, 0.5], abs=1e-8)


def test_the_ground_is_the_plane_that_contacts_stand_on(landed):
    assert plane_height(landed.mechanism, UP) == 0.5
    tilted = landed.mechanism.changed(contacts=[landed.mechanism.contacts[0].changed(normal=(0.1, 0.0, 1.0))])
    assert plane_height(tilted, UP) is None


def test_the_page_holds_them(landed, tmp_path):
    text = write_page(landed, tmp_path / "cube.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', text).group(1))
    assert len(data["contacts"]["names"]) == 4
    assert data["view"]["ground"] == 0.5
    assert ["contact points", "8"] in data["facts"]


def test_a_mechanism_without_contacts_has_none():
    top = Mechanism(name="top", bodies=[Body(name="top", mass=1.0, inertia=(1.0, 1.0, 1.0))])
    trajectory = Simulator(top).simulate(0.1, 0.01)
    assert contact_view(trajectory, choose_keyframes(trajectory, 10, None), 1.0) is None


def test_effective_masses_are_worked_out_once_for_all_contacts(landed, monkeypatch):
    calls, real = [], contact_history.contact_units
    monkeypatch.setattr(contact_history, "contact_units", lambda *given: (calls.append(1), real(*given))[1])
    found = contact_history.Contacts(landed)
    assert len([found[name] for name in found]) == 8 and len(calls) == 1
