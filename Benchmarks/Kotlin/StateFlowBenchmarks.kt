import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.Continuation
import kotlin.coroutines.resume
import kotlin.coroutines.suspendCoroutine
import kotlinx.coroutines.*
import kotlinx.coroutines.flow.*

// The rows of FlowBenchmarks that Kotlin's StateFlow has too, on the same work; see Documentation/flows.md.

inline fun best(count: Int, body: (Int) -> Unit): Double {
    var best = Double.MAX_VALUE
    repeat(5) {
        val start = System.nanoTime()
        body(count)
        best = minOf(best, (System.nanoTime() - start).toDouble() / count)
    }
    return best
}

class Round {
    private val remaining = AtomicInteger()
    @Volatile private var waiter: Continuation<Unit>? = null

    suspend fun run(count: Int, write: () -> Unit) = suspendCoroutine {
        waiter = it
        remaining.set(count)
        write()
    }

    fun arrive() {
        if (remaining.decrementAndGet() == 0) waiter?.resume(Unit)
    }
}

fun row(name: String, cost: Double) = println("%s: Kotlin %.1f ns".format(name, cost))

suspend fun callback(subscribers: Int) = coroutineScope {
    val flow = MutableStateFlow(0)
    var sum = 0
    val jobs = List(subscribers) { launch(Dispatchers.Unconfined) { flow.collect { sum += it } } }
    var value = 0
    row("callback delivery to $subscribers", best(1_000_000 / subscribers) { count ->
        repeat(count) { value += 1; flow.value = value }
    })
    jobs.forEach { it.cancel() }
}

suspend fun handOff(collectors: Int, dispatcher: CoroutineDispatcher, where: String) = withContext(dispatcher) {
    val flow = MutableStateFlow(0)
    val round = Round()
    val jobs = mutableListOf<Job>()
    round.run(collectors) {
        repeat(collectors) { jobs += launch { flow.collect { round.arrive() } } }
    }
    var value = 0
    row("hand-off to $collectors, $where", best(20_000 / collectors) { count ->
        repeat(count) { round.run(collectors) { value += 1; flow.value = value } }
    })
    jobs.forEach { it.cancel() }
}

@OptIn(ExperimentalCoroutinesApi::class, DelicateCoroutinesApi::class)
fun main() = runBlocking {
    val flow = MutableStateFlow(0)
    row("set, nobody watches", best(2_000_000) { count -> for (value in 0 until count) flow.value = value })
    var sum = 0
    row("get", best(2_000_000) { count -> repeat(count) { sum += flow.value } })
    row("two writers, each write", best(500_000) { count ->
        coroutineScope {
            repeat(2) { writer ->
                launch(Dispatchers.Default) { for (value in 0 until count / 2) flow.value = value * 2 + writer }
            }
        }
    })
    for (subscribers in listOf(1, 10, 100, 1_000)) callback(subscribers)
    newSingleThreadContext("collectors").use { thread ->
        for (collectors in listOf(1, 10, 100, 1_000)) {
            handOff(collectors, thread, "one thread")
            handOff(collectors, Dispatchers.Default, "default dispatcher")
        }
    }
    check(sum != 1)
}
