import Foundation
import Testing

@testable import WeirWeb

@Suite struct ServedTextTests {
    private func served(_ path: String, _ text: String) -> String {
        String(decoding: ServedText.bytes(of: path, Data(text.utf8)), as: UTF8.self)
    }

    @Test func `a script is sent without comments and indentation`() {
        let script = """
            /** What it does. */
            export const one = 1;
              // Why.
              const url = "http://127.0.0.1/*x*/"; // behind code a comment stays

            """
        #expect(
            served("feed/a.js", script)
                == "export const one = 1;\nconst url = \"http://127.0.0.1/*x*/\"; // behind code a comment stays")
    }

    @Test func `a style sheet is sent without comments, and in one line without spaces at punctuation`() {
        #expect(served("weir.css", "/* a\n b */\n.x {\n  color: red;\n}\n") == ".x{color:red;}")
        let rules = """
            .a :is(p, b) > i { margin: calc(1px + 2px) 0; content: "☆" }
            @media (width: 1px) { p { top: 0 } }
            """
        #expect(
            served("weir.css", rules)
                == ".a :is(p,b) > i{margin:calc(1px + 2px) 0;content:\"☆\"}@media (width:1px){p{top:0}}")
    }

    @Test func `any other file is sent as it is`() {
        #expect(served("world.svg", "<svg>\n  <!-- a --> /* b */\n</svg>") == "<svg>\n  <!-- a --> /* b */\n</svg>")
    }

    @Test func `a comment without an end is left as it is`() {
        #expect(served("a.js", "1;\n/** never") == "1;\n/** never")
    }
}
