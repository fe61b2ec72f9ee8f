"""Who is in space."""

import pytest
from playwright.sync_api import expect


def test_people_are_grouped_by_craft_the_fullest_first(visit, weir, sky):
    page = visit("/operations/people-in-space")
    page.locator("#start button[type=submit]").click()
    state = page.locator("#current .state")
    expect(state).to_contain_text("3 people in space")
    assert state.locator("dt").all_inner_texts() == ["ISS 2", "Tiangong 1"]
    assert [name.strip() for name in state.locator(".person").all_inner_texts()] == ["Ann", "Bob", "Li"]
    sky.people.append(("<i>Zoë</i>", "Tiangong"))
    sky.people.append(("Moe", "Tiangong"))
    page.locator("#start button[type=submit]").click()
    expect(state).to_contain_text("5 people in space")
    assert state.locator("dt").all_inner_texts() == ["Tiangong 3", "ISS 2"]
    expect(state.locator(".person", has_text="<i>Zoë</i>")).to_be_visible()


@pytest.mark.long
def test_a_list_that_cannot_be_had_is_an_error_with_another_try(visit, weir, sky):
    sky.fails = True
    page = visit("/operations/people-in-space")
    page.locator("#start button[type=submit]").click()
    expect(page.locator("#current .message")).to_contain_text("503")
    sky.fails = False
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#current .state")).to_contain_text("3 people in space")
