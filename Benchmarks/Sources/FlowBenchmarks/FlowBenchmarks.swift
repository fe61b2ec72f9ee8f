/// Holds Flows against its peers: `swift run -c release FlowBenchmarks [--quick] [word of a row's name]`.
@main
enum FlowBenchmarks {
    static func main() async {
        let report = Report(arguments: CommandLine.arguments)
        report.memory()  // first, while no memory has been given back
        report.writing()
        await report.twoWriters()
        for subscribers in [1, 10, 100, 1_000] { report.calling(subscribers: subscribers) }
        await report.backlog()
        for collectors in [1, 10, 100, 1_000] { await report.handingOff(collectors: collectors) }
    }
}
