/// Holds Flows against its peers: `swift run -c release FlowBenchmarks [--quick] [--tabbed] [word of a row's name]`.
@main
enum FlowBenchmarks {
    static func main() async {
        // Away from the main actor, whose thread would have a part in each hand-off.
        await Task.detached {
            let report = Report(arguments: CommandLine.arguments)
            await report.memory()
            await report.writing()
            await report.twoWriters()
            for subscribers in [1, 10, 100, 1_000] { await report.calling(subscribers: subscribers) }
            await report.backlog()
            for collectors in [1, 10, 100, 1_000] { await report.handingOff(collectors: collectors) }
        }.value
    }
}
