import MarkupTesting
import Testing

struct MockPageTests {
    // L1
    @Test func `the page the look began with is good, apart from its inline styles`() {
        let problems = Markup.check(Self.page, as: .document)
        #expect(problems.count { $0.rule == "no-inline-code" } == 15)
        #expect(problems.count { $0.rule == "schema" && $0.sentence.contains("cannot have style=") } == 15)
        let others = problems.filter { $0.rule != "no-inline-code" && $0.rule != "schema" }
        #expect(others == [])
    }

    // L1
    @Test func `without its inline styles that page is good`() {
        let page = Self.page.replacing(/\sstyle="[^"]*"/, with: "")
        #expect(Markup.check(page, as: .document) == [])
    }

    private static let page = """
        <!DOCTYPE html>
        <html lang="en"><head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width"/><title>(62%) Upload · Weir</title>
        <link rel="stylesheet" href="mock.css"/></head><body>
        <header class="bar"><a class="mark" href="#">
        <svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true">
        <path d="M1 4h5l7 14 7-14h5v18H1z" fill="currentColor" opacity=".9"/>
        <path d="M8.2 9h9.6L13 18.4z" fill="var(--water)"/></svg>Weir</a>
        <nav aria-label="Main"><a href="#" aria-current="page">Operations</a><a href="#">Runs</a><a href="#">Stores</a><a href="#">Gallery</a><a href="#">System</a></nav>
        <div class="live" role="status">
        <span class="dot"></span>Live · 3 viewers</div></header>
        <main>
        <div class="row"><h1>Operations</h1><div class="tabs end">
        <span class="chip">All 6</span>
        <span class="chip active">Running 2</span>
        <span class="chip bad">Failed 1</span></div></div>
        <section class="grid" aria-label="Operations">
        <article class="card">
        <div class="row">
        <h2>Upload a file</h2>
        <span class="chip active end">◐ Uploading</span></div><p class="muted" style="margin:0">backup-2026-11-20.tar · 412 MB → archive</p>
        <div class="gauge" role="progressbar" aria-label="Uploaded" aria-valuenow="62" aria-valuemin="0" aria-valuemax="100"><i style="width:62%"></i></div>
        <div class="row mono">
        <span>62 % · 31.4 MB/s</span>
        <span class="end muted">6–9 s left</span></div>
        <div class="row">
        <button class="danger">Cancel</button><a class="end" href="#">Open</a></div></article>
        <article class="card">
        <div class="row">
        <h2>ISS position</h2>
        <span class="chip active end">◐ Tracking</span></div>
        <svg class="map" viewBox="0 0 2000 1000" role="img" aria-label="ISS over the South Atlantic, 12.4 south 21.9 west">
        <image href="../data/world-110m.svg" width="2000" height="1000" opacity=".35"/>
        <path d="M430 720C560 620 700 560 878 569" fill="none" stroke="var(--water)" stroke-width="9" stroke-dasharray="4 18" stroke-linecap="round"/>
        <circle cx="878" cy="569" r="24" fill="var(--water)"/>
        <circle cx="878" cy="569" r="48" fill="none" stroke="var(--water)" stroke-width="6" opacity=".5"/></svg>
        <div class="row mono">
        <span>−12.4018, −21.9035</span>
        <span class="end muted">every 5 s · 2 viewers</span></div></article>
        <article class="card">
        <div class="row">
        <h2>Greeting</h2>
        <span class="chip bad end">✕ Error</span></div><p style="margin:0">Error: connection refused (127.0.0.1:9)</p><p class="muted" style="margin:0">Attempt 3 of 3 · 12:03:04 · took 1.8 s</p>
        <div class="row">
        <button class="primary">Retry</button>
        <button>Start with…</button><a class="end" href="#">Open</a></div></article>
        <article class="card">
        <div class="row">
        <h2>People in space</h2>
        <span class="chip ok end">✓ Success</span></div><p style="margin:0">12 people · ISS 9, Tiangong 3</p><p class="muted" style="margin:0">12:01:55 · took 0.3 s</p>
        <div class="row">
        <button class="primary">Start</button><a class="end" href="#">Open</a></div></article>
        <article class="card">
        <div class="row">
        <h2>Nightly backup</h2>
        <span class="chip warn end">◼ Cancelled</span></div><p style="margin:0">Cancelled by operator after 14 s, in <b>Compressing</b></p>
        <div class="row">
        <button class="primary">Start</button><a class="end" href="#">Open</a></div></article>
        <article class="card">
        <div class="row">
        <h2>Reindex</h2>
        <span class="chip end">○ None</span></div><p class="muted" style="margin:0">Not started yet</p>
        <div class="row">
        <button class="primary">Start</button><a class="end" href="#">Open</a></div></article>
        </section>
        <div class="cols">
        <section class="card" style="gap:1rem">
        <div class="row"><h1>Upload a file</h1>
        <span class="mono muted">run 4f2a · started by operator 12:04:10</span>
        <span class="chip active end">◐ Uploading</span></div>
        <ol class="steps"><li class="done">Compress<br/>4.1 s</li><li class="done">Open session<br/>0.2 s</li><li class="now">Upload<br/>62 %</li><li>Close session</li></ol>
        <div class="gauge" role="progressbar" aria-label="Uploaded" aria-valuenow="62" aria-valuemin="0" aria-valuemax="100" style="height:26px"><i style="width:62%"></i></div>
        <div class="row mono">
        <span>255 of 412 MB · part 16 of 26 · 31.4 MB/s</span>
        <span class="end">6–9 s left</span></div>
        <div class="time">
        <span>Compressing</span><div class="lane"><i style="left:0;width:31%"></i></div>
        <span class="mono">4.1 s</span>
        <span>Opening session</span><div class="lane"><i style="left:31%;width:2%"></i></div>
        <span class="mono">0.2 s</span>
        <span>Uploading</span><div class="lane"><i class="now" style="left:33%;width:62%"></i></div>
        <span class="mono">8.1 s…</span></div>
        <div class="scrub">
        <button aria-label="Back one state">◀</button><input type="range" min="1" max="48" value="48" aria-label="State 48 of 48"/>
        <span class="chip active">Live · 48</span></div>
        <div class="row">
        <button class="danger">Cancel</button>
        <button>Copy link</button>
        <button>Export run</button></div></section>
        <section class="card">
        <h2>Start a run</h2>
        <label>File<input type="file"/></label>
        <label>Destination<select><option>archive (local folder)</option></select></label>
        <label>Part size<input value="16 MB"/></label>
        <button class="primary">Start</button>
        <h2 style="margin-top:.5rem">Earlier runs</h2>
        <table>
        <tr><th>Run</th><th>State</th><th>Took</th></tr>
        <tr>
        <td class="mono">3c91</td>
        <td>
        <span class="chip ok">✓ Success</span></td>
        <td class="num">12.8 s</td></tr>
        <tr>
        <td class="mono">a07e</td>
        <td>
        <span class="chip ok">✓ Success</span></td>
        <td class="num">11.9 s</td></tr>
        <tr>
        <td class="mono">91bd</td>
        <td>
        <span class="chip bad">✕ Error</span></td>
        <td class="num">3.0 s</td></tr></table></section></div>
        </main></body></html>
        """
}
