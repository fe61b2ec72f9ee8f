import WeirOperations
import WeirStandard
import WeirStates

extension DeclaredRequest {
    /// The request of one run.
    ///
    /// Throws `OperationFailure` with the sentence that says which value cannot be used.
    func outgoing(
        _ input: CommandInput, labels: [String: String], environment: OperationEnvironment
    ) throws(OperationFailure) -> OutgoingRequest {
        func label(_ template: TextTemplate) -> String {
            let name = template.fields.first ?? ""
            return labels[name] ?? name
        }
        for name in url.fields where [".", ".."].contains(input.text(name) ?? "") {
            throw OperationFailure("“\(labels[name] ?? name)” cannot be “.” or “..” in a URL. Give another value.")
        }
        let address = url.filled { PercentEncoding.encode(input.text($0) ?? "") } ?? ""
        var fields: [HeaderField] = []
        for (name, template) in headers {
            guard let value = template.filled(input.text) else { continue }
            guard value.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 || $0 == "\t" }) else {
                throw OperationFailure(
                    "“\(label(template))” holds a line break or another control character, which a header field cannot "
                        + "hold. Give another value.")
            }
            fields.append(HeaderField(name, value))
        }
        if let type = body?.contentType, !fields.contains(where: { $0.name.lowercased() == "content-type" }) {
            fields.append(HeaderField("Content-Type", type))
        }
        return OutgoingRequest(
            method, address, headers: fields, body: body?.text(input), timeout: timeout, environment: environment)
    }

    /// Whether a status is a success.
    func accepts(_ status: Int) -> Bool {
        statuses.isEmpty ? (200..<300).contains(status) : statuses.contains(status)
    }
}

extension DeclaredRequest.Body {
    fileprivate var contentType: String? {
        switch self {
        case .text: nil
        case .json: "application/json"
        case .form: "application/x-www-form-urlencoded"
        }
    }

    fileprivate func text(_ input: CommandInput) -> String {
        switch self {
        case .text(let template): template.filled { input.text($0) ?? "" } ?? ""
        case .json(let template): (try? template.filled(input).text()) ?? "null"
        case .form(let members):
            members.compactMap { name, template in
                template.filled(input.text).map { "\(PercentEncoding.encode(name))=\(PercentEncoding.encode($0))" }
            }.joined(separator: "&")
        }
    }
}
