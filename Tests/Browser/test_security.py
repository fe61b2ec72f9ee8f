"""Hostile text stays text, and no page breaks its own policy."""

import urllib.request

import pytest
from playwright.sync_api import expect

HOSTILE = "<script>window.hit = 1</script><img src=x onerror=window.hit=2>\u202eevil\u202c {{t}} \U0001f468\u200d\U0001f469\u200d\U0001f467 أهلا"


def visible(text):
    return text.replace("\u202e", "").replace("\u202c", "")


def test_a_hostile_label_is_inert_everywhere(visit, weir):
    page = visit("/operations/greeting")
    page.get_by_label("Label").fill(HOSTILE)
    page.locator("#start button[type=submit]").click()
    state = page.locator("#current .state")
    expect(state).to_contain_text("<script>window.hit = 1</script>")
    expect(state).to_contain_text("\U0001f468\u200d\U0001f469\u200d\U0001f467 أهلا")
    run = weir.latest("greeting")
    assert run["input"]["label"] == HOSTILE
    for path in ("/", "/runs", "/runs?text=%3Cscript%3E", f"/runs/{run['id']}", "/operations/greeting", f"/operations/greeting?from={run['id']}"):
        page.goto(path)
        expect(page.locator("#page")).to_be_visible()
        assert page.evaluate("window.hit") is None
        assert page.locator("main script, main img").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), path


def test_no_page_breaks_its_policy_and_nothing_is_asked_of_anybody_else(visit, weir):
    weir.ended(weir.run("greeting", label="Ada"))
    page = visit("/")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    failed = []
    page.on("response", lambda response: response.status >= 400 and failed.append((response.status, response.url)))
    operations = [operation["id"] for operation in weir.ask("operations")["operations"]]
    for path in ["/", "/runs", "/gallery", "/system", *(f"/operations/{id}" for id in operations)]:
        answer = page.goto(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        expect(page.locator("html[data-live]" if path not in ("/gallery", "/system") else "main")).to_be_attached()
        assert page.evaluate("window.violations") == []
    assert [url for url in asked if not url.startswith((weir.url, "data:"))] == []
    assert failed == []


@pytest.mark.parametrize("path", ["/operations/greeting/runs", "/api/v1/operations/greeting/runs"])
def test_a_form_of_another_site_is_refused(visit, weir, sky, path):
    page = visit("/")
    page.route("**/elsewhere", lambda route: route.fulfill(
        content_type="text/html", body=f'<form method="post" action="{weir.url}{path}"><button>Go</button></form>'))
    page.goto("http://elsewhere.test/elsewhere")
    with page.expect_navigation() as navigation:
        page.get_by_role("button").click()
    assert navigation.value.status == 403
    assert weir.latest("greeting") is None


@pytest.mark.long
def test_another_name_for_this_machine_is_refused(weir):
    request = urllib.request.Request(weir.url + "/", headers={"Host": "rebound.test"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
    assert refused.value.code in (400, 403, 421)
