import Foundation
import NIOCore
import Testing

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15))) struct ScriptBundleTests {
    @Test func `a module that only one needs becomes a function inside of that one`() {
        let joined = ScriptBundle.joining([
            "weir.js": "import { keep } from \"./feed/claims.js\";\nkeep(1);",
            "feed/claims.js": "const seen = [];\nexport function keep(it) {\nseen.push(it);\n}",
        ])
        #expect(
            joined["weir.js"] == """
                const $feed_claims = (() => {
                const seen = [];
                function keep(it) {
                seen.push(it);
                }
                return { keep };
                })();
                const { keep } = $feed_claims;
                keep(1);
                export { $feed_claims };
                """)
    }

    @Test func `a joined module keeps its address, which passes its exports on`() {
        let joined = ScriptBundle.joining([
            "weir.js": "import { A } from \"./feed/a.js\";", "feed/a.js": "export class A {}\nexport const one = 1;",
        ])
        #expect(
            joined["feed/a.js"] == "import { $feed_a } from \"../weir.js\";\nexport const { A, one } = $feed_a;")
    }

    @Test func `what is loaded later takes from the first load what is there, and brings the rest along`() {
        let joined = ScriptBundle.joining([
            "weir.js": "import { A } from \"./feed/a.js\";", "feed/a.js": "export class A {}",
            "page/late.js":
                "import { A } from \"../feed/a.js\";\nimport { B } from \"./b.js\";\nexport const c = A + B;",
            "page/b.js": "export class B {}",
        ])
        #expect(
            joined["page/late.js"] == """
                import { $feed_a } from "../weir.js";
                const $page_b = (() => {
                class B {}
                return { B };
                })();
                const { A } = $feed_a;
                const { B } = $page_b;
                const c = A + B;
                export { c, $page_b };
                """)
    }

    @Test func `a module that one loads by its name is loaded by itself, also if another one needs it`() {
        let joined = ScriptBundle.joining([
            "weir.js": "export const late = () => import(\"./page/forms.js\");", "page/forms.js": "export class A {}",
            "page/upload.js": "import { A } from \"./forms.js\";\nexport const b = new A();",
        ])
        #expect(joined["page/forms.js"] == "class A {}\nexport { A };")
        #expect(joined["page/upload.js"]?.hasPrefix("import * as $page_forms from \"./forms.js\";") == true)
    }

    @Test func `a module that two later ones need is loaded once, by itself`() {
        let joined = ScriptBundle.joining([
            "weir.js": "", "page/one.js": "import { B } from \"./b.js\";",
            "page/two.js": "import { B } from \"./b.js\";", "page/b.js": "export class B {}",
        ])
        #expect(joined["page/b.js"] == "class B {}\nexport { B };")
        for name in ["page/one.js", "page/two.js"] {
            #expect(joined[name] == "import * as $page_b from \"./b.js\";\nconst { B } = $page_b;")
        }
    }

    @Test func `a later import is named as the bundle sees it`() {
        let joined = ScriptBundle.joining([
            "weir.js": "import { send } from \"./page/forms.js\";",
            "page/forms.js": "export async function send() {\nreturn import(\"./upload.js\");\n}",
            "page/upload.js": "export const upload = 1;",
        ])
        #expect(joined["weir.js"]?.contains("return import(\"./page/upload.js\");") == true)
    }

    @Test func `modules run in the order in which a browser runs them`() throws {
        let joined = ScriptBundle.joining([
            "weir.js": "import { b } from \"./b.js\";\nimport { c } from \"./c.js\";",
            "b.js": "import { d } from \"./d.js\";\nexport const b = d;",
            "c.js": "import { d } from \"./d.js\";\nexport const c = d;", "d.js": "export const d = 1;",
        ])
        let names = try #require(joined["weir.js"]).matches(of: #/const \$(\w) = /#).map { String($0.1) }
        #expect(names == ["d", "b", "c"])
    }

    @Test func `a page's script is one file, and what is loaded later needs no other but it`() throws {
        let library = try AssetLibrary(overlay: nil)
        func text(_ path: String) throws -> String {
            String(buffer: try #require(library[path.split(separator: "/").map(String.init)]).asset.bytes)
        }
        #expect(try !text("weir.js").split(separator: "\n").contains { $0.hasPrefix("import ") })
        for name in [
            "arrivals", "copy", "effects-here", "json", "list", "moments", "output", "palette", "queue", "resume",
            "scrubber",
            "upload",
        ] {
            let imports = try text("page/\(name).js").split(separator: "\n").filter { $0.hasPrefix("import ") }
            // The view of JSON and the copying of commands share a parser, and forms send files.
            let known =
                ["from \"../weir.js\";"] + (name == "json" ? ["from \"./copy.js\";"] : [])
                + (["upload", "resume"].contains(name) ? ["from \"./forms.js\";"] : [])
            #expect(imports.allSatisfy { line in known.contains { line.hasSuffix($0) } }, "\(name): \(imports)")
        }
    }
}
