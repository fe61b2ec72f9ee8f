extension PageWriter {
    func apiPage(_ api: PageAPI) -> Fields {
        [
            "documentURL": "\(base)/api/v1/openapi.json",
            "sections": api.sections.map { section -> Fields in
                [
                    "name": section.name, "text": section.text,
                    "methods": section.methods.map { method -> Fields in
                        [
                            "name": method.name, "method": method.method, "path": "/api/v1/" + method.path,
                            "summary": method.summary, "right": method.right, "parameters": parts(method.parameters),
                            "answers": parts(method.answers),
                            "body": method.body.isEmpty ? nil : method.body.joined(separator: ", "),
                        ]
                    },
                ]
            },
        ]
    }

    private func parts(_ parts: [PageAPI.Method.Part]) -> [Fields] {
        parts.map { ["name": $0.name, "text": $0.text] }
    }
}
