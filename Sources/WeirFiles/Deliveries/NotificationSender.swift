import Foundation
import NIOCore
import WeirBoards
package import WeirStandard
import WeirStates

package struct NotificationSender: Sendable {
    enum Outcome: Sendable, Hashable {
        case delivered(String)
        /// A temporary failure, with the delay in milliseconds that the receiver asks for.
        case again(String, after: Int64? = nil)
        /// What became of an e-mail by receiver; `again` is the reason if others need another attempt.
        case mail(settled: [String: String], again: String?)
        case failed(String)
    }

    /// The time limit of an attempt: the request with its response, or the program.
    static let timeout = Duration.seconds(30)
    static let stopGracePeriod = Duration.seconds(2)

    private let post: HTTPPost
    private let commandEnvironment: CommandEnvironment
    private let environment: OperationEnvironment
    private let mail: MailServer?
    private let secret: @Sendable (String) -> String?

    package init(
        environment: OperationEnvironment, commandEnvironment: CommandEnvironment, mail: MailServer? = nil,
        secret: @escaping @Sendable (String) -> String?
    ) {
        self.mail = mail
        post = HTTPPost(environment: environment)
        self.environment = environment
        self.commandEnvironment = commandEnvironment
        self.secret = secret
    }

    /// Starts a measurement; the closure returns the elapsed milliseconds.
    func stopwatch() -> @Sendable () -> Int64 { environment.stopwatch() }

    /// The receiver of a rule's messages, or nil if a secret is missing or the address is invalid.
    func receiver(of rule: NotificationRule) -> DeliveryTurns.Receiver? {
        switch rule.channel {
        case .webhook(let webhook):
            let url = webhook.url.filled { $0.below.flatMap { secret($0.description) } }
            return url.flatMap { try? HTTPTarget($0) }.map { .server($0.place.lowercased()) }
        case .command(let arguments): return .program(arguments)
        case .email: return mail.map { .server($0.place.lowercased()) }
        }
    }

    /// Sends a message once; throws only `CancellationError`.
    ///
    /// An e-mail is sent to the receivers that are not settled.
    func send(
        _ facts: NotificationFacts, by rule: NotificationRule, settled: [String: String] = [:]
    ) async throws -> Outcome {
        switch rule.channel {
        case .webhook(let webhook): try await send(facts, to: webhook)
        case .command(let arguments): try await run(arguments, facts)
        case .email(let receivers): try await send(facts, to: receivers.filter { settled[$0.description] == nil })
        }
    }

    // MARK: Webhooks

    private func send(_ facts: NotificationFacts, to webhook: NotificationRule.Webhook) async throws -> Outcome {
        var used: [String] = []
        func filled(_ template: PathTemplate) throws(Missing) -> String {
            var missing: String?
            let text = template.filled { path in
                let name = path.below?.description ?? ""
                guard let value = secret(name) else {
                    missing = name
                    return nil
                }
                used.append(value)
                return value
            }
            guard let text else { throw Missing(name: missing ?? "") }
            return text
        }
        do {
            var message = try webhook.body.message(facts, to: webhook.to.map(filled) ?? "")
            let url = try filled(webhook.url)
            used.append(url)
            for header in webhook.headers { message.headers[header.name] = try filled(header.value) }
            message.headers["X-Weir-Delivery"] = facts.delivery
            if let name = webhook.signingSecret {
                guard let key = secret(name) else { throw Missing(name: name) }
                used.append(key)
                message.headers[WebhookSignature.header] = WebhookSignature.github(
                    Data(message.body.utf8), secret: key)
            }
            let answer = try await post.send(
                message.body, to: url, headers: message.headers, timeout: Self.timeout)
            return Self.outcome(answer, SecretMask(used))
        } catch let missing as Missing {
            return .again(missing.sentence)
        } catch let failure as HTTPFailure {
            let words = SecretMask(used).masked(failure.description)
            return failure.mayPass ? .again(words) : .failed(words)
        } catch is EncodingError {
            return .failed("The run’s input has a number that JSON does not have.")
        }
    }

    // MARK: E-mail

    private func send(_ facts: NotificationFacts, to receivers: [MailAddress]) async throws -> Outcome {
        guard let mail else {
            return .again(
                "There is no mail server. Set mail.server and mail.from in the settings, and restart the server.")
        }
        let message = MailMessage(
            content: NotificationMail(facts), sender: mail.sender, receivers: receivers, delivery: facts.delivery,
            at: facts.endedAt)
        do {
            return Outcome(try await mail.send(message, in: environment, within: Self.timeout))
        } catch let failure as MailFailure {
            return failure.mayPass ? .again(failure.sentence) : .failed(failure.sentence)
        } catch let unknown as MailServer.Unknown {
            return .again(unknown.description)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return .again("The message could not be sent. Check mail.server and mail.ca-file.")
        }
    }

    private static func outcome(_ answer: HTTPPost.Answer, _ mask: SecretMask) -> Outcome {
        let words = answer.words.isEmpty ? "" : ": " + mask.masked(answer.words)
        let sentence = "The receiver answered \(answer.status)\(words)"
        switch answer.status {
        case 200..<300: return .delivered("The receiver answered \(answer.status).")
        case 300..<400:
            return .failed("The receiver answered \(answer.status), a redirect. Enter the address that it leads to.")
        case 408, 425, 429, 500...:
            return .again(
                sentence, after: answer.retryAfter.map { $0.multipliedReportingOverflow(by: 1_000).partialValue })
        default: return .failed(sentence)
        }
    }

    private struct Missing: Error {
        let name: String
        var sentence: String { "There is no secret “\(name)”. Set it with: weir secret set \(name)" }
    }

    // MARK: Commands

    private func run(_ templates: [PathTemplate], _ facts: NotificationFacts) async throws -> Outcome {
        guard let helper = commandEnvironment.helper else { return .again(CommandHelper.NotFound().description) }
        // A text from a run must not prevent the start of the program.
        func word(_ text: String, besides bytes: Int = 0) -> String {
            text.filter { $0 != "\0" }.cut(to: CommandLaunch.maximumWordBytes - 1 - bytes, .bytes)
        }
        let arguments = templates.compactMap { template in
            template.filled { facts.value($0.description) }.map { word($0) }
        }
        var launch = CommandLaunch(arguments, environment: commandEnvironment.variables)
        for name in NotificationFacts.names {
            let variable = "WEIR_\(name.uppercased())"
            launch.environment[variable] = facts.value(name).map { word($0, besides: variable.utf8.count + 1) }
        }
        launch.directory = commandEnvironment.folder.path
        launch.umask = commandEnvironment.umask
        launch.stopGracePeriod = Self.stopGracePeriod
        launch.input = (try? NotificationFormat.text(of: facts)).map { Array($0.utf8) }
        if let mistake = launch.mistake { return .failed(mistake) }
        let command: RunningCommand
        do {
            command = try await RunningCommand.start(launch, by: helper)
        } catch let failure as CommandFailure {
            return .again(failure.sentence(running: arguments.first ?? ""))
        }
        let limit = Task { [clock = environment.clock] in
            try await clock.sleep(for: Self.timeout)
            command.stop()
            return true
        }
        let (last, end) = await withTaskCancellationHandler {
            async let printed: Void = Self.read(command.output)
            let last = await Self.lastLine(of: command.errors)
            await printed
            return (last, await command.end())
        } onCancel: {
            command.stop()
        }
        limit.cancel()
        let isOver = (try? await limit.value) ?? false
        try Task.checkCancellation()
        let words = last.isEmpty ? "" : ": \(last)"
        switch end {
        case .exited(0, _): return .delivered("The program ended well.")
        case .exited(let code, _): return .again("The program ended with exit code \(code)\(words)")
        case .signalled(let signal, _):
            return .again(
                isOver
                    ? "The program took longer than 30 s and was stopped."
                    : "The program was ended by \(signal)\(words)"
            )
        case .notStarted(let failure): return .again(failure.sentence(running: arguments.first ?? ""))
        case .lost: return .again("The program was lost: weir-exec was killed.")
        }
    }

    private static func read(_ pipe: CommandPipe) async { while await pipe.next() != nil {} }

    /// The last line in a printable form.
    private static func lastLine(of pipe: CommandPipe?) async -> String {
        var tail: [UInt8] = []
        while let buffer = await pipe?.next() { tail = Array((tail + Array(buffer.readableBytesView)).suffix(2_000)) }
        let lines = String(decoding: tail, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.last.map { line in
            String(line.prefix(200).unicodeScalars.filter { $0.properties.generalCategory != .control })
        } ?? ""
    }
}

extension NotificationSender.Outcome {
    fileprivate init(_ outcome: MailOutcome) {
        var settled = Dictionary(outcome.reached.map { ($0.description, "") }) { $1 }
        for refusal in outcome.refused { settled[refusal.receiver.description] = refusal.words }
        let again = outcome.deferred.map { "\($0.receiver) was refused for now: \($0.words)." }
        self = .mail(settled: settled, again: again.isEmpty ? nil : again.joined(separator: " "))
    }
}

extension DeliveryRecord {
    mutating func take(_ outcome: NotificationSender.Outcome, now: Int64) {
        switch outcome {
        case .delivered(let words): (status, detail) = (.delivered, words)
        case .failed(let words): (status, detail) = (.failed, words)
        case .mail(let more, let again):
            let settled = (settled ?? [:]).merging(more) { $1 }
            self.settled = settled
            let refused = settled.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
                .map { "\($0.key) was refused: \($0.value)." }
            let words = ([again].compactMap { $0 } + refused).joined(separator: " ")
            if again != nil {
                take(.again(words), now: now)
            } else {
                take(refused.isEmpty ? .delivered("The mail server took the message.") : .failed(words), now: now)
            }
        case .again(let words, let asked):
            detail = words
            guard let wait = RetryPlan.wait(afterAttempts: attempts, asked: asked) else {
                status = .failed
                return
            }
            nextAt = now.addingReportingOverflow(wait).partialValue
        }
    }
}
