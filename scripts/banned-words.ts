/**
 * Words that names, comments, docs and messages do not use, each with the term to use instead. `scripts/words.ts` looks
 * for them; docs/GLOSSARY.md explains the terms. Words of the API, the specification and SQL are exempt.
 */
interface BannedWord {
  readonly use: string;
  /** Paths that may use the word, because it has another meaning there. */
  readonly except?: RegExp;
}

interface BannedName extends BannedWord {
  /** A name that equals this word, in any case: `found`, `Found`. */
  readonly name: string;
}

interface BannedPart extends BannedWord {
  /** A word inside a camelCase or kebab-case name: `sendSparing`, `use-hand.ts`. */
  readonly part: string;
}

interface BannedPrefix extends BannedWord {
  /** The first word of a longer name: `mostRows`. */
  readonly prefix: string;
}

interface BannedProse extends BannedWord {
  /** Words of a comment, a document or a message. */
  readonly prose: RegExp;
}

/** Participles and adjectives that are no nouns: the noun says what the value is. */
export const bannedNames: readonly BannedName[] = [
  { name: 'own', use: 'a noun for whose it is: ownRows, tenantHeaders' },
  { name: 'found', use: 'what was looked up: row, device, match' },
  { name: 'known', use: 'a noun: names, knownIds, existingRows' },
  // A property name in the result of an import.
  {
    name: 'kept',
    use: 'a noun: storedValue, remaining, saved',
    except: /^server\/src\/(features\/compliance\/import|app\/configuration-parts)\.ts$/,
  },
  { name: 'wanted', use: 'a noun: requestedIds, target, goal' },
  // A field of the sample rows in query texts.
  { name: 'made', use: 'a noun: created, result, row', except: /^contract\/src\/query\/cases\.ts$/ },
  { name: 'given', use: 'a noun: input, parameters, arguments' },
  { name: 'told', use: 'a noun: reportedAt, notified, message' },
  { name: 'asked', use: 'a noun: requestedIds, requests, question' },
  // A property name in stored traces and explanations.
  { name: 'held', use: 'a noun: leased, pending, satisfied', except: /^contract\/src\/rules\/evaluate\/trace\.ts$/ },
  { name: 'gone', use: 'a noun: removed, deletedIds, isMissing' },
  { name: 'most', use: 'max, or limit' },
  { name: 'least', use: 'min' },
  { name: 'seen', use: 'a noun: visited, seenIds' },
  { name: 'taken', use: 'a noun: usedNames, leased, selection' },
  { name: 'drawn', use: 'rendered, visibleColumns' },
  { name: 'said', use: 'a noun: message, text, answer' },
];

/** A parameter named `one` does not say what it is, except beside one of these. */
export const besideOne: readonly string[] = ['other', 'many'];
export const useForOne = 'what it is: row, device, match; item where it may be anything';

/** Names of types that are too general without their file. */
export const bannedTypes: readonly BannedName[] = [
  { name: 'Wrong', use: 'FieldError' },
  { name: 'Change', use: 'a qualified name: FieldChange' },
  { name: 'Step', use: 'a qualified name: ProtocolStep' },
  { name: 'Options', use: 'a qualified name: SelectOptions' },
  { name: 'Waiting', use: 'a qualified name: QueuedJob' },
  { name: 'Reading', use: 'a qualified name: SensorReading' },
];

export const bannedPrefixes: readonly BannedPrefix[] = [
  { prefix: 'most', use: 'max' },
  { prefix: 'least', use: 'min' },
];

export const bannedParts: readonly BannedPart[] = [
  { part: 'sight', use: 'impersonation' },
  { part: 'flight', use: 'batch' },
  { part: 'flights', use: 'batcher' },
  { part: 'fly', use: 'flush' },
  { part: 'flying', use: 'pendingBatch' },
  { part: 'flown', use: 'flushed' },
  { part: 'sparing', use: 'callThroughBreaker, open' },
  { part: 'spared', use: 'open (of a circuit)' },
  { part: 'bury', use: 'moveToDeadLetters' },
  { part: 'buried', use: 'dead letter' },
  { part: 'impatient', use: 'timedOut' },
  { part: 'bell', use: 'Signal' },
  { part: 'heard', use: 'notified' },
  { part: 'reckon', use: 'evaluate' },
  { part: 'reckoned', use: 'evaluated' },
  { part: 'furnish', use: 'seed' },
  { part: 'furnished', use: 'seeded' },
  { part: 'stranger', use: 'otherTenant, unauthenticated' },
  { part: 'strangers', use: 'otherTenant, unauthenticated' },
  { part: 'drawn', use: 'rendered' },
  // A property of the rows of a lookup.
  { part: 'reach', use: 'scope, access, place, coverage', except: /^contract\/src\/rules\/placeholders\.ts$/ },
  { part: 'hand', use: 'pointer, or the role of the person', except: /^bench\// },
];

export const bannedProse: readonly BannedProse[] = [
  { prose: /\b(?:a|the|this|in) sights?\b(?! of)/i, use: 'impersonation' },
  { prose: /\bstrangers?\b/i, use: 'other tenant, unauthenticated caller' },
  { prose: /\bways? out of the house\b/i, use: 'egress' },
  { prose: /\breckon(s|ed|ing)?\b/i, use: 'evaluate, calculate' },
  { prose: /\b(flights?|fly|flies|flying|flown)\b/i, use: 'batch, flush' },
  { prose: /\b(is|are|was|were|being|be) spared\b|\bspar(ing|es) (a|the|it|them)\b/i, use: 'the circuit is open' },
  { prose: /\b(bury|buries|buried|burying)\b|\bjobs? (is|are) dead\b|\bdead jobs?\b/i, use: 'dead letter' },
  { prose: /\bfurnish(es|ed|ing)?\b/i, use: 'seed' },
  { prose: /\bimpatien(t|ce)\b/i, use: 'timed out' },
  { prose: /\bdraw(s|n|ing)? (anew|again)\b|\bredrawn?\b/i, use: 're-render' },
  {
    prose: /\bpictures?\b/i,
    use: 'render, frame (of React); screenshot',
    except: /^(README\.md|docs\/OPERATIONS\.md|server\/|contract\/)/,
  },
  { prose: /\b(a|the|each|every|next|last|one|first|another) looks?\b/i, use: 'check, sweep, tick' },
  { prose: /\banew\b/i, use: 'again' },
  { prose: /\bunder (the|somebody's) hand\b|\bthe hand (is|moves|rests|leaves|stays)\b/i, use: 'pointer' },
];

/** Type names that several files may declare. */
export const sharedTypeNames: readonly string[] = ['Props'];
