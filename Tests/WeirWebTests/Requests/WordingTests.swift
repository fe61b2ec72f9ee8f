import Testing
import WeirAccess
@testable import WeirBoards
import WeirOperations
@testable import WeirStates

@testable import WeirPages
@testable import WeirWeb

/// What goes wrong is said in the reader's language.
@Suite(.timeLimit(.minutes(15))) struct WordingTests {
    private static let sentences: [(key: String, english: String)] =
        all(InputWording.self) + all(BoardWording.self) + all(AccessWording.self) + all(ProblemWording.self)
        + all(ListWording.self) + all(StartWording.self)

    private static func all<Words: Wording>(_ type: Words.Type) -> [(key: String, english: String)] {
        type.allCases.map { ($0.key, $0.rawValue) }
    }

    private static func places(in sentence: String) -> [String] {
        sentence.matches(of: /\{(\w+)\}/).map { String($0.1) }.sorted()
    }

    private static func tables() throws -> StringTables { StringTables(try TemplateSet().tables) }

    // L4
    @Test func `every sentence is the same in Swift and in the English table`() throws {
        let english = try Self.tables()[.english].texts
        for (key, sentence) in Self.sentences { #expect(english[key] == sentence, "\(key)") }
    }

    // L4
    @Test func `every language has every sentence, with the same places for values`() throws {
        let tables = try Self.tables()
        #expect(tables.locales.map(\.tag) == ["en", "es", "pt-BR"])
        for locale in tables.locales {
            let texts = tables[locale].texts
            for (key, english) in Self.sentences {
                let sentence = try #require(texts[key], "\(key) in \(locale)")
                // A value may stand in a sentence twice in one language and once in another.
                #expect(
                    Set(Self.places(in: sentence)) == Set(Self.places(in: english)), "\(key) in \(locale)")
            }
        }
    }

    @Test func `no language has a sentence that Swift does not say`() throws {
        let tables = try Self.tables()
        let known = Set(Self.sentences.map(\.key))
        let sections = Set(known.map { $0.prefix { $0 != "." } })
        for locale in tables.locales {
            let own = tables[locale].texts.keys.filter { sections.contains($0.prefix { $0 != "." }) }
            #expect(Set(own).subtracting(known) == [], "\(locale)")
        }
    }

    private static let fields = [
        InputField("label", "Label", .text(maximumLength: 5, pattern: "[a-z]+"), required: true, help: "A word."),
        InputField("body", "Body", .multiline(maximumLength: 5)), InputField("url", "URL", .url()),
        InputField("any", "Any", .integer(.min ... .max)), InputField("most", "Most", .integer(.min...9)),
        InputField("least", "Least", .integer(1 ... .max)), InputField("between", "Between", .integer(1...9)),
        InputField("real", "Real", .number(-.infinity ... .infinity)),
        InputField("realMost", "Most", .number(-.infinity...2)),
        InputField("realLeast", "Least", .number(1 ... .infinity)),
        InputField("ratio", "Ratio", .number(0...1)), InputField("loud", "Loud", .boolean),
        InputField("method", "Method", .choice(["GET", "PUT", "POST"])),
        InputField("key", "Key", .secret(maximumLength: 2)),
        InputField("file", "File", .file),
    ]

    @Test(
        arguments: [
            ("label", nil, "Este campo é obrigatório. Informe uma linha de texto de no máximo 5 caracteres."),
            ("label", 7, "Informe uma linha de texto de no máximo 5 caracteres, e não 7."),
            ("label", "a\nb", "Informe uma linha de texto sem caracteres de controle."),
            ("label", "a1", "“a1” não tem a forma pedida: A word."),
            ("label", "abcdefg", "Isto tem 7 caracteres; são aceitos no máximo 5."),
            ("label", "{most}", "Isto tem 6 caracteres; são aceitos no máximo 5."),
            ("body", ["a"], "Informe um texto de no máximo 5 caracteres, e não uma lista."),
            ("url", "ftp://x/", "Informe uma URL que comece com http:// ou https://, e não “ftp://x/”."),
            (
                "url", "http://a:b@c/",
                "Esta URL contém um nome de usuário ou uma senha, que seriam registrados. Deixe-os de fora."
            ),
            ("url", "http://a:70000/", "Esta URL tem uma porta que não existe. As portas vão de 1 a 65535."),
            ("any", "x", "Informe um número inteiro, e não “x”."),
            ("most", 10, "Informe um número inteiro de no máximo 9, e não 10."),
            ("least", 0, "Informe um número inteiro de no mínimo 1, e não 0."),
            ("between", "{least}", "Informe um número inteiro de 1 a 9, e não “{least}”."),
            ("real", "x", "Informe um número, e não “x”."),
            (
                "any", .number(0x1p63),
                "Informe um número inteiro de -9223372036854775808 a 9223372036854775807, e não 9.223372036854776e+18."
            ),
            ("realMost", 3, "Informe um número de no máximo 2, e não 3."),
            ("realLeast", 0, "Informe um número de no mínimo 1, e não 0."),
            ("ratio", 2, "Informe um número de 0 a 1, e não 2."),
            ("loud", [:], "Informe true ou false, e não um objeto."),
            ("method", "x", "Escolha “GET”, “PUT” ou “POST”, e não “x”."),
            ("key", "abc", "Informe um segredo de no máximo 2 caracteres. Ele não é registrado."),
            ("file", "a", "Escolha um arquivo. Ele vem na requisição que inicia a execução, e não como um valor JSON."),
            ("file", ["id": "x"], "A descrição do arquivo está errada: faltam “id” e “filename”."),
            (
                "other", 1,
                "Não existe este campo; deixe-o de fora. Os campos são label, body, url, any, most, least, between, real, "
                    + "realMost, realLeast, ratio, loud, method, key e file."
            ),
        ] as [(String, JSONValue?, String)])
    func `a mistake in a field of every kind is told in Portuguese`(
        field: String, value: JSONValue?, sentence: String
    ) throws {
        var members: [String: JSONValue] = ["label": "abc"]
        members[field] = value
        let portuguese = try Self.tables()[.brazilianPortuguese]
        do {
            _ = try InputField.validate(.object(members), fields: Self.fields)
            Issue.record("\(field) was taken")
        } catch {
            #expect(error.mistakes.map(\.field) == [field])
            #expect(error.mistakes.map { portuguese($0.message) } == [sentence])
        }
    }

    @Test func `a mistake that was written and read again is the same, in English`() throws {
        let mistake = InputMistake(field: "a", message: Message(InputWording.file))
        let text = try JSONValue(encoding: mistake)
        #expect(text == ["field": "a", "detail": "Choose a file."])
        #expect(try text.decode(InputMistake.self) == mistake)
    }

    // M4
    @Test func `a form sent without JavaScript comes back with its mistakes in the reader's language`() async throws {
        try await TestServer.run { server in
            for (language, sentence) in [
                ("pt-BR", "Não existe este campo; deixe-o de fora. Os campos são "),
                ("es", "No existe este campo; quítelo. Los campos son "),
                ("en", "There is no such field; leave it out. The fields are "),
            ] {
                let headers = [
                    "Accept: text/html", "Content-Type: application/x-www-form-urlencoded",
                    "Sec-Fetch-Site: same-origin",
                    "Cookie: weir-lang=\(language)",
                ]
                let page = try await server.ask(
                    "POST", "/operations/steps/runs", headers: headers, body: "nonsense=1")
                #expect(page.status == 200 || page.status == 422)
                #expect(page.text.contains("<html lang=\"\(language)\">"))
                #expect(page.text.contains(sentence), "\(language)")
            }
        }
    }

    @Test func `what is wrong with an action of a store, or a new user, is said in the reader's language`() async throws
    {
        try await TestServer.run(bell: true) { server in
            let headers = [
                "Accept: text/html", "Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin",
                "Accept-Language: es-MX",
            ]
            let page = try await server.ask(
                "POST", "/stores/bell/actions?form=act-ring", headers: headers, body: "type=ring&times=12")
            #expect(page.text.contains("Escriba un número entero de 1 a 9, no 12."))
        }
        try await AccountServer.run { server in
            let headers = AccountServer.form + [try await server.cookie(of: "root"), "Accept-Language: pt-BR"]
            let role = "role=operator&scope=all&operations=&stores=&tags="
            let page = try await server.ask("POST", "/users", headers, body: "name=ana&password=short&\(role)")
            #expect(page.status == 422)
            #expect(page.text.contains("Escolha uma senha de pelo menos 10 caracteres."))
        }
    }

    @Test func `a problem is a page or a document in the reader's language, and says in which`() async throws {
        try await TestServer.run { server in
            for (language, title, sentence) in [
                ("pt-BR", "Página não encontrada", "Não existe a execução “none”. A lista de execuções mostra todas."),
                (
                    "es", "Página no encontrada",
                    "No existe la ejecución “none”. La lista de ejecuciones las muestra todas."
                ),
            ] {
                let wish = "Accept-Language: \(language)"
                let page = try await server.ask("GET", "/runs/none", headers: ["Accept: text/html", wish])
                #expect(page.status == 404)
                #expect(page.text.contains(title) && page.text.contains(sentence))
                #expect(!page.text.contains("Unknown run"))
                let document = try await server.ask("GET", "/api/v1/runs/none", headers: [wish])
                #expect(document["content-language"] == language)
                #expect(document["cache-control"]?.contains("no-store") == true)
                let problem = try document.json()
                #expect(problem["title"]?.string == title && problem["detail"]?.string == sentence)
                #expect(problem["type"] == "urn:weir:problem:unknown-run")
            }
            let plain = try await server.ask("GET", "/api/v1/runs/none")
            #expect(plain["content-language"] == "en")
            #expect(try plain.json()["title"] == "Unknown run")
            #expect(try plain.json()["detail"] == "There is no run “none”. The list of runs shows all runs.")
        }
    }
}
