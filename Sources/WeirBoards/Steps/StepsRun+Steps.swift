import WeirJournals
import WeirOperations
import WeirStates

/// The execution of a step, or of a step for one item.
struct StepTask: Sendable {
    let index: Int
    let step: StepsPlan.Step
    let operation: String
    let input: [String: StepValue]
    var item: StepItem?

    /// The name in the idempotency keys of its runs.
    var key: String { item.map { "\(step.name)[\($0.index)]" } ?? step.name }
}

/// How the execution of a step ended.
enum StepEnd: Sendable {
    case over(StepsProgress.Status, at: Timestamp, StepsProgress.Ending?)
    /// The server shuts down, and the next process continues.
    case left
}

extension StepsRun {
    func begin(_ index: Int, attempt: Int) async {
        let step = plan.steps[index]
        if let condition = step.condition, await !isMet(condition, index, step) { return }
        switch step.work {
        case .approval(let approval): await ask(index, step, approval)
        case .run(let operation, let input):
            let task = StepTask(index: index, step: step, operation: operation, input: input)
            if let forEach = step.forEach { return await perform(task, for: forEach) }
            end(task, await attempts(task, from: attempt))
        }
    }

    /// Continues with a step that was current when the last process ended.
    func takeUp(_ index: Int) async {
        let step = plan.steps[index]
        let known = progress.steps[index]
        switch step.work {
        case .approval(let approval):
            guard known.status == .asking else { return await begin(index, attempt: 1) }
            await ask(index, step, approval)
        case .run(let operation, let input):
            let task = StepTask(index: index, step: step, operation: operation, input: input)
            // Without progress, its condition is not known to be met yet.
            if let forEach = step.forEach, known.items != nil, known.progress != nil {
                return await perform(task, for: forEach)
            }
            guard let attempt = known.attempt else { return await begin(index, attempt: 1) }
            if known.status == .retrying {
                await pause(step, for: step.retry?.interval ?? step.repetition?.interval ?? .zero)
                return end(task, isHalted(step) ? halted() : await attempts(task, from: attempt + 1))
            }
            end(task, await continued(task, from: attempt))
        }
    }

    private func end(_ task: StepTask, _ end: StepEnd) {
        guard case .over(let status, let at, let ending) = end else { return }
        change { $0.end(task.index, status, at: at, ending) }
    }

    // MARK: Attempts

    /// Continues an execution whose newest attempt had begun when the last process ended.
    func continued(_ task: StepTask, from first: Int) async -> StepEnd {
        let (attempt, record) = await host.newestRun(of: task.key, from: first, operation: task.operation)
        if let record {
            if host.isLive(record.id) { return await attempts(task, from: attempt, following: record.id) }
            if let end = RunEnd(of: record), !end.isInterrupted {
                note(task, run: record.id)
                return await attempts(task, from: attempt, following: record.id)
            }
        }
        if let end = interrupted(task) { return end }
        return await attempts(task, from: attempt + 1)
    }

    /// The end of a step whose run was interrupted; nil if it is run again.
    private func interrupted(_ task: StepTask) -> StepEnd? {
        if isHalted(task.step) { return halted() }
        if task.step.isRepeatable { return nil }
        return .over(.interrupted, at: host.now, .init(.stepInterrupted, step: task.step.name))
    }

    /// Runs a step until it is over; `known` is the run of the first attempt, if it has one.
    func attempts(_ task: StepTask, from first: Int, following known: String? = nil) async -> StepEnd {
        var attempt = first
        var known = known
        while true {
            let id: String
            if let run = known {
                (id, known) = (run, nil)
            } else {
                note(task, attempt: attempt)
                // Recorded before the step begins, so that it begins only once, whenever the process ends.
                await host.recorded()
                if isHalted(task.step) { return halted() }
                do throws(StepRefusal) {
                    let input = try await values.input(task.input, at: moment(of: task.step, item: task.item))
                    id = try await host.start(task.operation, input: input, step: task.key, attempt: attempt)
                } catch {
                    if error.isShutdown || isClosing { return .left }
                    return .over(.failed, at: host.now, error.ending(of: task.step.name))
                }
            }
            note(task, run: id)
            let (ended, isLate) = await follow(task, id)
            if isClosing { return .left }
            if ended?.isInterrupted == true {
                // A run of the last process, which ended before the beginning of the attempt was recorded.
                if let end = interrupted(task) { return end }
                attempt += 1
                continue
            }
            switch await judged(task, ended, of: id, attempt: attempt, isLate: isLate) {
            case .end(let end): return end
            case .again(let interval):
                if task.item == nil { change(task.index) { ($0.status, $0.progress) = (.retrying, nil) } }
                await pause(task.step, for: interval)
                if isHalted(task.step) { return halted() }
                attempt += 1
            }
        }
    }

    private func halted() -> StepEnd { isClosing ? .left : .over(.cancelled, at: host.now, nil) }

    private func note(_ task: StepTask, attempt: Int) {
        guard task.item == nil else { return }
        let now = host.now
        change(task.index) { step in
            (step.status, step.attempt, step.began) = (.running, attempt, step.began ?? now)
            (step.run, step.state, step.progress) = (nil, nil, nil)
            step.limit = task.step.repetition?.limit
        }
    }

    private func note(_ task: StepTask, run: String) {
        if task.item == nil { change(task.index) { $0.run = run } }
    }

    private func follow(_ task: StepTask, _ id: String) async -> (ended: RunEnd?, isLate: Bool) {
        let late = Deferred<Bool>()
        let timer = task.step.timeout.map { [host] timeout in
            Task {
                try await host.clock.sleep(for: timeout)
                late.resolve(true)
                host.cancel(id, .overtime)
            }
        }
        let ended = await stopping(task.step, by: { [host] in host.cancel(id, .whole) }) {
            await host.follow(id) { [weak self] record in
                guard task.item == nil else { return }
                self?.change(task.index) { step in
                    guard step.run == id, step.status == .running else { return }
                    (step.state, step.progress) = (record.state.caseName, record.state.progress)
                }
            }
        }
        timer?.cancel()
        if task.item == nil { change(task.index) { $0.state = ended?.state.caseName ?? $0.state } }
        return (ended, late.resolved != nil)
    }

    // MARK: Judging

    private enum Judgement {
        case end(StepEnd)
        case again(after: Duration)
    }

    private func judged(
        _ task: StepTask, _ ended: RunEnd?, of id: String, attempt: Int, isLate: Bool
    ) async -> Judgement {
        let (step, at) = (task.step, ended?.at ?? host.now)
        if ended?.state.phase == .cancelled, !isLate {
            if isHalted(step) { return .end(halted()) }
            var (by, detail): (String?, String?) = (nil, nil)
            if case .actor(let actor) = ended?.cause { by = actor } else { detail = ended?.cause?.description }
            return .end(.over(.cancelled, at: at, .init(.stepCancelled, step: step.name, by: by, detail: detail)))
        }
        if let repetition = step.repetition, let record = await host.record(of: id) {
            return await judged(step, record, repetition, attempt: attempt)
        }
        if ended?.state.phase == .succeeded { return .end(.over(.succeeded, at: at, nil)) }
        if isHalted(step) { return .end(halted()) }
        if let retry = step.retry, attempt <= retry.limit { return .again(after: retry.interval) }
        return .end(.over(.failed, at: at, .init(isLate ? .tookTooLong : .stepFailed, step: step.name)))
    }

    private func judged(
        _ step: StepsPlan.Step, _ record: RunRecord, _ repetition: StepsPlan.Repetition, attempt: Int
    ) async -> Judgement {
        let at = record.endedAt ?? host.now
        do throws(StepRefusal) {
            guard let unmet = try await values.unmet(repetition.until, of: record, step: step.name) else {
                return .end(.over(.succeeded, at: at, nil))
            }
            if isHalted(step) { return .end(halted()) }
            if attempt < repetition.limit { return .again(after: repetition.interval) }
            let detail = "It was run \(attempt) times, and never met its condition: \(unmet.words)."
            return .end(.over(.failed, at: at, .init(.stepFailed, step: step.name, detail: detail)))
        } catch {
            return .end(error.isShutdown ? .left : .over(.failed, at: at, error.ending(of: step.name)))
        }
    }

    // MARK: Conditions

    /// Whether the step's condition is met; ends the step otherwise.
    private func isMet(_ condition: StepCondition, _ index: Int, _ step: StepsPlan.Step) async -> Bool {
        do throws(StepRefusal) {
            if let unmet = try await values.unmet(condition, at: moment(of: step)) {
                skip(index, unmet.words)
                return false
            }
            guard let command = condition.command else { return true }
            return try await isMet(command, index, step)
        } catch {
            if !error.isShutdown, !isClosing {
                change { $0.end(index, .failed, at: host.now, error.ending(of: step.name)) }
            }
            return false
        }
    }

    /// Whether the program of a condition ends with exit code 0; it is run again if a restart interrupts it.
    private func isMet(
        _ command: StepCondition.Command, _ index: Int, _ step: StepsPlan.Step
    ) async throws(StepRefusal) -> Bool {
        let now = host.now
        change(index) { ($0.status, $0.began) = (.running, $0.began ?? now) }
        await host.recorded()
        let key = "\(step.name)?"
        let (attempt, known) = await host.newestRun(of: key, from: 1, operation: command.operation)
        let isUsable = known.map { run in
            run.state.phase == .succeeded || run.state.phase == .failed || host.isLive(run.id)
        }
        let id: String
        if let known, isUsable == true {
            id = known.id
        } else {
            let input = try await values.input(command.input, at: moment(of: step))
            id = try await host.start(
                command.operation, input: input, step: key, attempt: known == nil ? attempt : attempt + 1)
        }
        change(index) { $0.check = id }
        let ended = await stopping(step, by: { [host] in host.cancel(id, .whole) }) { await host.follow(id) { _ in } }
        if isHalted(step) {
            if case .over(let status, let at, _) = halted() { change { $0.end(index, status, at: at, nil) } }
            return false
        }
        switch ended?.state.phase {
        case .succeeded: return true
        case .failed where ended?.state.payload["code"]?.integer != nil:
            skip(index, "\(command.words) ends with exit code 0")
        case .cancelled:
            var by: String?
            if case .actor(let actor) = ended?.cause { by = actor }
            change { $0.end(index, .cancelled, at: host.now, .init(.stepCancelled, step: step.name, by: by)) }
        default:
            throw StepRefusal(.stepFailed, "The program of its condition could not be run: \(command.words).")
        }
        return false
    }

    private func skip(_ index: Int, _ words: String) {
        change { $0.end(index, .skipped, at: host.now, nil, because: .init(.condition, condition: words)) }
    }
}
