/// The description of the HTTP API, as its page shows it.
package struct PageAPI: Sendable {
    /// The methods of one kind of resource.
    package struct Section: Sendable {
        let name: String
        let text: String
        let methods: [Method]

        package init(name: String, text: String, methods: [Method]) {
            (self.name, self.text, self.methods) = (name, text, methods)
        }
    }

    package struct Method: Sendable {
        package struct Part: Sendable {
            let name: String
            let text: String

            package init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
        }

        let name: String
        let method: String
        let path: String
        let summary: String
        let right: String
        package var parameters: [Part] = []
        package var body: [String] = []
        package var answers: [Part] = []

        package init(name: String, method: String, path: String, summary: String, right: String) {
            (self.name, self.method, self.path) = (name, method, path)
            (self.summary, self.right) = (summary, right)
        }
    }

    let sections: [Section]

    package init(sections: [Section]) { self.sections = sections }
}
