import WeirStates

extension DefinitionReader {
    /// Reads the program: a command, a shell script, a request, a feed or steps.
    mutating func program(
        _ root: FileValue, _ inputs: [DeclaredInput], isStep: Bool
    ) -> OperationDefinition.Program? {
        if root["reported"]?.flag == true { return elsewhere(root) }
        if root["steps"] != nil || root["type"]?.text == "steps" { return steps(root, inputs).map { .steps($0) } }
        for key in ["at_once", "when_a_step_fails"] where !isStep {
            root[key].map { list.note($0, "`\(key)` belongs to an operation with `steps`. Remove it.") }
        }
        switch root["type"]?.text {
        case "http": return request(root).map { .request($0) }
        case "feed": return feed(root).map { .feed($0) }
        default: refuseRequests(root)
        }
        switch (root["command"], root["shell"]) {
        case (let command?, nil): return self.command(command).map { .command($0) }
        case (nil, let shell?): return self.shell(shell).map { .shell($0) }
        case (nil, nil):
            // A misspelled name is reported on its own.
            guard OperationKeys.knows(all: root) else { return nil }
            list.note(root, "There is nothing to run. Give a `command` such as [echo, hello], or a `shell` text.")
        case (_?, let shell?):
            list.note(shell, "An operation has a `command` or a `shell` text, not both. Remove one.")
        }
        return nil
    }

    /// Reports members that have no meaning for a reported operation.
    private mutating func elsewhere(_ root: FileValue) -> OperationDefinition.Program? {
        for member in root.members ?? []
        where !["reported", "title", "description", "tags", "notify"].contains(member.name) {
            list.note(
                member.value,
                "`\(member.name)` has no meaning for an operation whose runs programs elsewhere report. Remove it, or "
                    + "`reported`.")
        }
        return .elsewhere
    }

    private mutating func shell(_ value: FileValue) -> String? {
        guard let text = value.text else { return nil }
        if text.utf8.contains(0) { list.note(value, "A script cannot hold a NUL character.") }
        if !stepValues.isEmpty, !isLiteral, let reference = text.firstMatch(of: StepScope.reference) {
            list.note(
                value,
                "A field cannot stand in the text of a shell, which would run what it holds. Name it in `with`, such as "
                    + "{text: \"\(reference.output.0)\"}, and write \"$WEIR_INPUT_TEXT\" here.")
        } else if let near = input(near: text) {
            list.note(
                value,
                "A field cannot stand in the text of a shell, which would run what it holds. Write "
                    + "\"$\(Self.variable(for: near.input))\" instead of {{\(near.name)}}, or `literal: true` if the braces are text."
            )
        }
        return text
    }

    /// The first name in double braces that is an input, or resembles one, with that input.
    ///
    /// Other braces belong to the script: `docker ps --format '{{.Names}}'`.
    private func input(near text: String) -> (name: String, input: String)? {
        guard !isLiteral else { return nil }
        for match in text.matches(of: /\{\{ *([A-Za-z][A-Za-z0-9_-]{0,39}) *\}\}/) {
            let name = String(match.output.1)
            if isField(name) { return (name, name) }
            // A letter resembles every other letter.
            if name.count > 1, let input = NearestName.of(name, among: fields.keys.sorted()) { return (name, input) }
        }
        return nil
    }

    static func variable(for field: String) -> String {
        "WEIR_INPUT_" + String(field.uppercased().map { $0 == "-" || $0 == "." ? "_" : $0 })
    }

    mutating func command(_ value: FileValue) -> [OperationDefinition.Argument]? {
        guard let elements = value.list else { return nil }
        guard let first = elements.first else {
            list.note(value, "The command is empty. Begin with the program, such as [echo, hello].")
            return nil
        }
        var arguments: [OperationDefinition.Argument] = []
        for element in elements {
            if element.members != nil {
                group(element).map { arguments.append($0) }
            } else if let template = argument(element) {
                arguments.append(.one(template))
            }
        }
        if arguments.first?.templates.first?.fields.isEmpty == false || first.members != nil {
            list.note(first, "The program itself cannot be an input: write its name.")
        } else if first.text?.isEmpty == true {
            list.note(first, "The program has no name.")
        } else if let program = first.text, program.contains(" "), elements.count == 1 {
            list.note(
                first,
                "The command is one text with spaces. Write each argument by itself, such as [pg_dump, --verbose], or "
                    + "use `shell`.")
        }
        checkCode(elements, arguments)
        return arguments
    }

    private mutating func argument(_ value: FileValue) -> TextTemplate? {
        if value.text?.utf8.contains(0) == true { list.note(value, "An argument cannot hold a NUL character.") }
        return template(value, "command", secrets: false)
    }

    private mutating func group(_ value: FileValue) -> OperationDefinition.Argument? {
        guard let condition = value["if"], let name = condition.text, let words = value["args"]?.list else {
            return nil
        }
        if !isField(name) { noteUnknown(name, condition) }
        return .group(if: name, words.compactMap { argument($0) })
    }

    /// Reports a placeholder in an argument that an interpreter runs as code: `sh -c "ls {{folder}}"`.
    private mutating func checkCode(_ elements: [FileValue], _ arguments: [OperationDefinition.Argument]) {
        let words = arguments.flatMap(\.templates)
        guard elements.count == arguments.count,
            let flags = words.compactMap({ Self.codeFlags(of: $0.filled { _ in nil } ?? "") }).first
        else { return }
        var isCode = false
        for (element, argument) in zip(elements, arguments) {
            for template in argument.templates {
                if isCode, !template.fields.isEmpty {
                    list.note(
                        element,
                        "A field cannot stand in the text that an interpreter runs. Use `shell` with "
                            + "\"$WEIR_INPUT_NAME\", or pass the value as an argument of its own after the text.")
                }
                let text = template.filled { _ in nil } ?? ""
                isCode = flags.contains { flag in
                    text == "-\(flag)" || (text.hasPrefix("-") && !text.hasPrefix("--") && text.hasSuffix(flag))
                }
            }
        }
    }

    /// The options after which an interpreter expects code, or nil for other programs.
    private static func codeFlags(of program: String) -> [String]? {
        let name = program.split(separator: "/").last.map { String($0.prefix { $0.isLetter }) } ?? ""
        return switch name {
        case "sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "su", "python", "pypy": ["c"]
        case "perl", "ruby", "node", "lua", "php": ["e", "r", "E"]
        default: nil
        }
    }

    // MARK: Environment

    mutating func environment(_ value: FileValue?) -> [(name: String, value: TextTemplate)] {
        var variables: [(name: String, value: TextTemplate)] = []
        for member in value?.members ?? [] {
            guard Self.isVariable(member.name) else {
                list.note(
                    member.place,
                    "“\(member.name.prefix(40))” cannot be the name of a variable: use letters, digits and underscores."
                )
                continue
            }
            if member.name.hasPrefix("WEIR_") {
                list.note(member.place, "Variables that begin with WEIR_ are set by Weir itself. Choose another name.")
            }
            guard let template = template(member.value, "env", secrets: true) else { continue }
            if !template.fields.isEmpty, Self.steersPrograms(member.name) {
                list.note(
                    member.value,
                    "A field cannot stand in \(member.name), which decides what programs are run. Use a fixed value.")
            }
            variables.append((member.name, template))
        }
        return variables
    }

    private static func isVariable(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.count <= 200
            && name.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
    }

    /// Whether a variable determines which code programs load and run.
    private static func steersPrograms(_ name: String) -> Bool {
        let prefixes = ["LD_", "DYLD_", "BASH_FUNC", "GIT_", "GCONV_", "PYTHON", "PERL5", "RUBY", "NODE_", "JAVA_"]
        let names: Set = [
            "PATH", "BASH_ENV", "ENV", "IFS", "PS4", "SHELL", "SHELLOPTS", "BASHOPTS", "CDPATH", "PROMPT_COMMAND",
            "EDITOR", "VISUAL", "PAGER", "BROWSER", "HOME", "JDK_JAVA_OPTIONS", "RSYNC_RSH", "TMPDIR", "GLIBC_TUNABLES",
            "NLSPATH", "LOCPATH", "TERMINFO", "TERMCAP", "CLASSPATH",
        ]
        return names.contains(name) || prefixes.contains(where: name.hasPrefix)
    }
}
