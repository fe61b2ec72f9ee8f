import Testing

@testable import WeirPages

@Suite struct DeclaredTextTests {
    /// The text that a page of each language has, of these.
    private func shown(_ texts: [String: String], in languages: Set<String>) -> [String: String] {
        var declared = DeclaredTexts()
        declared.texts["op.title"] = texts
        return Dictionary(declared.tables(languages: languages).map { ($0.name, $0.text) }) { $1 }
            .mapValues { $0.replacing(#"{"op.title":"#, with: "").replacing("}", with: "").replacing("\"", with: "") }
    }

    @Test func `a page has a text in its language, else in a related one, else in English, else in the first`() {
        #expect(shown(["en": "Back up", "de": "Sichern"], in: ["de", "en"]) == ["de": "Sichern", "en": "Back up"])
        #expect(shown(["en": "Back up", "pt-PT": "Copiar"], in: ["pt-BR"]) == ["pt-BR": "Copiar"])
        #expect(shown(["en": "Back up", "de": "Sichern"], in: ["es"]) == ["es": "Back up"])
        #expect(shown(["fr": "Sauver", "de": "Sichern"], in: ["es"]) == ["es": "Sichern"])
    }

    @Test func `a language that only the texts have makes no pages`() {
        #expect(shown(["en": "Back up", "de": "Sichern"], in: ["en"]) == ["en": "Back up"])
    }
}
