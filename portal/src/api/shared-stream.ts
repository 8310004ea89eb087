/**
 * One stream of changes for all pages of a browser, because a browser opens only six connections to a server over HTTP/1.1.
 * The page that holds a lock reads the stream and passes each message to the others. The stream is the same for all of them:
 * they share the sign-in.
 */
import type { ChangeEvent } from '@cloudfit/contract/actions/live.ts';
import { readChanges, type StreamMessage } from './change-stream.ts';

/** The name of the lock and of the channel. */
const name = 'cloudfit.changes';
const maxWaitMs = 30_000;
/** How often a visible page asks whether the reading page still runs. */
const askMs = 10_000;
/** How long messages are kept for pages that open later, and how many. */
const recentMs = 60_000;
const maxRecent = 1_000;

/** What tells a page that it missed too much, as the server does. */
const reloadAll: ChangeEvent = { entity: '*', id: '', verb: 'update', tenantId: null };

type StreamNote =
  /** A page asks for the state, and for the changes of the last seconds. */
  | { kind: 'ask'; from: string; seconds: number }
  | { kind: 'state'; isOpen: boolean; isHidden: boolean }
  | { kind: 'message'; message: StreamMessage; to?: string };

interface StreamListener {
  /** Identifies this page. */
  page: string;
  /** The stream was opened or ended, here or in another page. */
  onOpen: (isOpen: boolean) => void;
  onChange: (change: ChangeEvent) => void;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** Seconds since this page began to load: its rows may have been read before changes of that time. */
function ageSeconds(): number {
  // Takes the larger age of two clocks: one may stand still while the computer sleeps, the other may be set back.
  return Math.ceil(Math.max(performance.now(), Date.now() - performance.timeOrigin) / 1_000);
}

/** Follows the changes until the returned function is called. */
export function followChanges({ page, onOpen, onChange }: StreamListener): () => void {
  const stopped = new AbortController();
  const { signal } = stopped;
  const locks = 'locks' in navigator ? navigator.locks : undefined;
  const channel = locks && new BroadcastChannel(name);
  const recent: { at: number; change: ChangeEvent }[] = [];
  let after: string | undefined;
  /** The time in which this page queues for the lock or holds it. */
  let term = new AbortController();
  let reads = false;
  let isOpen = false;
  let notifiedAt = 0;
  let askedAt = 0;
  /** Whether a hidden page reads, and has had no stream for so many questions: browsers slow down the timers of hidden pages. */
  let hiddenWithout = 0;
  let pausedAt: number | undefined;

  const post = (note: StreamNote) => channel?.postMessage(note);
  const tellState = () => post({ kind: 'state', isOpen, isHidden: document.hidden });
  const setOpen = (value: boolean) => {
    if (isOpen === value) return;
    isOpen = value;
    onOpen(value);
  };
  const take = ({ id, change }: StreamMessage) => {
    after = id || after;
    if (!change) return;
    const now = Date.now();
    recent.push({ at: now, change });
    while (recent.length > maxRecent || (recent[0] && recent[0].at < now - recentMs)) recent.shift();
    onChange(change);
  };

  const read = async (during: AbortSignal) => {
    let wait = 1_000;
    reads = true;
    tellState();
    while (!during.aborted) {
      try {
        await readChanges({
          after,
          seconds: ageSeconds(),
          signal: during,
          onOpen: () => {
            wait = 1_000;
            setOpen(true);
            tellState();
          },
          onMessage: (message) => {
            take(message);
            post({ kind: 'message', message });
          },
        });
      } catch {
        // It is opened again, as when the server ends it.
      }
      if (during.aborted) break;
      setOpen(false);
      tellState();
      await pause(wait * (0.5 + Math.random()), during);
      wait = Math.min(maxWaitMs, wait * 2);
    }
    reads = false;
  };
  /** Queues for the lock; with `steal`, takes it from a page that no longer runs. */
  const begin = (steal = false) => {
    term.abort();
    const ownTerm = (term = new AbortController());
    if (!locks) return void read(ownTerm.signal);
    const request = locks.request(name, steal ? { steal } : { signal: ownTerm.signal }, () => read(ownTerm.signal));
    // Another page has taken the lock: queue for it again.
    const queueAgain = async () => {
      await pause(1_000, ownTerm.signal);
      if (!ownTerm.signal.aborted) begin();
    };
    request.catch(() => void queueAgain());
  };
  const ask = (seconds: number) => {
    askedAt = Date.now();
    post({ kind: 'ask', from: page, seconds });
  };
  const answer = (from: string, seconds: number) => {
    tellState();
    if (seconds === 0) return;
    const since = Date.now() - seconds * 1_000;
    const isKnown = seconds * 1_000 <= recentMs && seconds <= ageSeconds() && recent.length < maxRecent;
    const missed = isKnown ? recent.filter(({ at }) => at >= since).map(({ change }) => change) : [reloadAll];
    for (const change of missed) post({ kind: 'message', message: { change }, to: from });
  };
  const receive = (note: StreamNote) => {
    if (note.kind === 'ask') {
      if (reads) answer(note.from, note.seconds);
      return;
    }
    // What a page sends that lost the lock, and does not know yet.
    if (reads) return;
    notifiedAt = Date.now();
    if (note.kind === 'state') {
      if (note.isOpen || !note.isHidden) hiddenWithout = 0;
      else hiddenWithout += 1;
      setOpen(note.isOpen);
    } else if (note.to === undefined || note.to === page) take(note.message);
  };
  const watch = () => {
    if (document.hidden || reads || pausedAt !== undefined) return;
    if (notifiedAt < askedAt || hiddenWithout > 1) {
      hiddenWithout = 0;
      askedAt = 0;
      begin(true);
    } else ask(0);
  };
  /** A page that the browser freezes reads nothing: it passes the lock on. */
  const freeze = () => {
    pausedAt ??= Date.now();
    term.abort();
    setOpen(false);
  };
  const resume = () => {
    if (pausedAt === undefined) return;
    const seconds = Math.ceil((Date.now() - pausedAt) / 1_000);
    pausedAt = undefined;
    begin();
    ask(seconds);
  };

  if (channel) {
    channel.onmessage = ({ data }: MessageEvent<StreamNote>) => receive(data);
    document.addEventListener('freeze', freeze, { signal });
    document.addEventListener('resume', resume, { signal });
    window.addEventListener('pagehide', freeze, { signal });
    window.addEventListener('pageshow', resume, { signal });
  }
  const timer = setInterval(watch, askMs);
  begin();
  ask(ageSeconds());
  return () => {
    stopped.abort();
    term.abort();
    clearInterval(timer);
    channel?.close();
    setOpen(false);
  };
}
