import Foundation

/// Bundles Weir's JavaScript modules, so that a page loads one script instead of one for each module.
///
/// A module that no other imports statically, or that one imports dynamically by its name, is a bundle's root: `weir.js`, and
/// each module that is loaded on first use. A
/// bundle contains the modules that only it needs. Each becomes a function that is called once, in the order in which a browser
/// evaluates modules, and returns the module's exports:
///
/// ```js
/// const $feed_claims = (() => {
/// function keep(element) { … }
/// return { keep };
/// })();
/// ```
///
/// A bundle exports these values, and imports of a bundled module import from the bundle, so that each module runs once.
/// Every module keeps its URL: the URL of a bundled module serves a module that re-exports from the bundle.
///
/// The parser supports only the style of these modules: each `import` and `export` is on its own line, without `default`
/// and `*`, and exported bindings are never reassigned.
struct ScriptBundle {
    private let modules: [String: Module]
    private var homes: [String: String] = [:]

    private struct Module {
        /// The path and the names of each import, in order.
        var imports: [(path: String, names: String)] = []
        var exports: [String] = []
        /// The paths of dynamic imports by name.
        var loaded: [String] = []
        /// The code without imports and without the keyword `export`.
        var code: [Substring] = []

        init(_ source: String, at path: String) {
            for line in source.split(separator: "\n") {
                loaded += line.matches(of: /import\("(\.[^"]+)"\)/).map {
                    ScriptBundle.resolve(String($0.1), from: path)
                }
                if line.hasPrefix("import "), let match = line.wholeMatch(of: /import \{ (.+) \} from "(.+)";/) {
                    imports.append((ScriptBundle.resolve(String(match.2), from: path), String(match.1)))
                } else if line.hasPrefix("export "),
                    let match = line.prefixMatch(of: /export (?:async function|function|class|const) (\w+)/)
                {
                    exports.append(String(match.1))
                    code.append(line.dropFirst("export ".count))
                } else {
                    code.append(line)
                }
            }
        }
    }

    /// Bundles modules; keys are their paths.
    static func joining(_ sources: [String: String]) -> [String: String] {
        let bundle = ScriptBundle(sources)
        return Dictionary(bundle.modules.keys.map { ($0, bundle.text(at: $0)) }) { $1 }
    }

    private init(_ sources: [String: String]) {
        modules = Dictionary(sources.map { ($0, Module($1, at: $0)) }) { $1 }
        let imported = Set(modules.values.flatMap { $0.imports.map(\.path) })
        var roots = Set(modules.keys).subtracting(imported).union(modules.values.flatMap(\.loaded))
        // A module needed by two bundles, but not by the first load, becomes a bundle of its own.
        while true {
            homes = [:]
            var shared: Set<String> = []
            // The first load is processed first; other bundles reuse its modules.
            for root in roots.sorted(by: { $0 == "weir.js" || $1 != "weir.js" && $0 < $1 }) {
                for path in order(from: root, inside: roots) {
                    if let home = homes[path], home != root, home != "weir.js" { shared.insert(path) }
                    homes[path] = homes[path] ?? root
                }
            }
            if shared.isEmpty { break }
            roots.formUnion(shared)
        }
    }

    private func order(from root: String, inside roots: Set<String>) -> [String] {
        var order: [String] = []
        var seen: Set<String> = []
        func visit(_ path: String) {
            guard let module = modules[path], path == root || !roots.contains(path), seen.insert(path).inserted
            else { return }
            for (path, _) in module.imports { visit(path) }
            order.append(path)
        }
        visit(root)
        return order
    }

    private func text(at path: String) -> String {
        guard let module = modules[path], let home = homes[path] else { return "" }
        guard home == path else {
            let address = Self.relative(home, from: path)
            return "import { \(Self.name(path)) } from \"\(address)\";\n"
                + "export const { \(module.exports.joined(separator: ", ")) } = \(Self.name(path));"
        }
        let inside = order(from: path, inside: Set(homes.values)).filter { homes[$0] == path }
        var outside: [String: Set<String>] = [:]
        for (imported, _) in inside.flatMap({ modules[$0]?.imports ?? [] }) where homes[imported] != path {
            if let other = homes[imported] { outside[other, default: []].insert(imported) }
        }
        var lines = outside.sorted { $0.key < $1.key }.map { other, paths in
            let names = paths.sorted().map { $0 == other ? "* as \(Self.name($0))" : Self.name($0) }
            return Self.importing(names, from: Self.relative(other, from: path))
        }
        for each in inside where each != path {
            lines.append("const \(Self.name(each)) = (() => {")
            lines += code(of: each, in: path)
            lines.append("return { \(modules[each]?.exports.joined(separator: ", ") ?? "") };\n})();")
        }
        lines += code(of: path, in: path)
        let exported = module.exports + inside.filter { $0 != path }.map(Self.name)
        if !exported.isEmpty { lines.append("export { \(exported.joined(separator: ", ")) };") }
        return lines.joined(separator: "\n")
    }

    private static func importing(_ names: [String], from address: String) -> String {
        let whole = names.filter { $0.hasPrefix("*") }.map { "import \($0) from \"\(address)\";" }
        let parts = names.filter { !$0.hasPrefix("*") }
        return (whole + (parts.isEmpty ? [] : ["import { \(parts.joined(separator: ", ")) } from \"\(address)\";"]))
            .joined(separator: "\n")
    }

    /// A module's code with its imports as constants, and with dynamic imports resolved relative to the bundle.
    private func code(of path: String, in home: String) -> [String] {
        guard let module = modules[path] else { return [] }
        let constants = module.imports.map { "const { \($0.names) } = \(Self.name($0.path));" }
        return constants
            + module.code.map { line in
                guard line.contains("import(\"") else { return String(line) }
                return String(line).replacing(/import\("(\.[^"]+)"\)/) { match in
                    let target = Self.resolve(String(match.1), from: path)
                    return "import(\"\(Self.relative(target, from: home))\")"
                }
            }
    }

    /// The identifier of a module's exports in a bundle.
    private static func name(_ path: String) -> String {
        "$" + String(path.dropLast(".js".count).map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// Resolves a relative module specifier to a path.
    private static func resolve(_ address: String, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast()
        for part in address.split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }

    /// The relative specifier of a module, as seen from another.
    private static func relative(_ target: String, from path: String) -> String {
        var (up, down) = (path.split(separator: "/").dropLast()[...], target.split(separator: "/")[...])
        while let first = up.first, first == down.first, down.count > 1 {
            up = up.dropFirst()
            down = down.dropFirst()
        }
        return (up.isEmpty ? "./" : up.map { _ in "../" }.joined()) + down.joined(separator: "/")
    }
}
