"""English, Brazilian Portuguese and Spanish."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello"}


def test_the_browsers_language_counts_and_what_comes_live_speaks_it(visit, weir, sky):
    page = visit("/operations/greeting", locale="pt-BR")
    expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(page.get_by_role("link", name="Operações")).to_be_visible()
    sky.greets.clear()
    weir.run("greeting", label="Zé")
    expect(page.locator("#current .state")).to_have_text("Carregando…")
    sky.greets.set()
    expect(page.locator("#current .run > header .chip")).to_have_text("Sucesso")
    expect(page.locator("#current .state")).to_contain_text("Hello, Zé!")


def test_the_switch_leads_back_to_the_same_page_and_is_kept(visit):
    page = visit("/runs?operation=greeting")
    page.get_by_role("link", name="Português").click()
    expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
    assert page.url.endswith("/runs?operation=greeting")
    page.goto("/gallery")
    expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(page.locator("h1")).to_have_text("Galeria")
    page.get_by_role("link", name="English").click()
    expect(page.locator("h1")).to_have_text("Gallery")


@pytest.mark.long
def test_spanish_is_spoken_wherever_it_comes_from(visit):
    page = visit("/", locale="es-MX")
    expect(page.locator("h1")).to_have_text("Operaciones")
    page.get_by_role("link", name="English").click()
    page.get_by_role("link", name="Español").click()
    expect(page.locator("html")).to_have_attribute("lang", "es")
    page.goto("/gallery")
    expect(page.locator("h1")).to_have_text("Galería")


@pytest.mark.long
def test_a_language_that_is_not_there_is_english(visit):
    page = visit("/", locale="ja-JP")
    expect(page.locator("html")).to_have_attribute("lang", "en")


@pytest.mark.long
def test_both_languages_side_by_side_show_the_same_change(visit, weir):
    english, portuguese = visit("/runs"), visit("/runs", locale="pt-BR")
    run = weir.run("greeting", label="Both")
    expect(english.locator(f"#row-{run['id']} .chip")).to_have_text("Success")
    expect(portuguese.locator(f"#row-{run['id']} .chip")).to_have_text("Sucesso")
