/** Counts the lines that match, with the lines around the last of them and the values that their groups captured. */
const samples = 5;
const lineMax = 1_000;
const groupsMax = 50;
const numberText = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Compiles a pattern of JavaScript; `(?i)` at its beginning, as others write it, ignores case. */
export function expressionOf(pattern) {
  const isCaseless = pattern.startsWith('(?i)');
  try {
    return new RegExp(isCaseless ? pattern.slice(4) : pattern, isCaseless ? 'iu' : 'u');
  } catch (error) {
    throw new Error(`Pattern: ${error.message}`, { cause: error });
  }
}

export function createMatches(expression, { before, after }) {
  let [count, lineCount] = [0, 0];
  let lastLine;
  let previous = [];
  /** The last matches, and those of them that still get lines after them. */
  let matches = [];
  const metrics = new Map();
  const states = new Map();

  function noteGroups(groups) {
    for (const [name, text] of Object.entries(groups).slice(0, groupsMax)) {
      if (text === undefined) continue;
      if (!numberText.test(text)) {
        states.set(name, text.slice(0, lineMax));
        continue;
      }
      const value = Number(text);
      metrics.set(name, value);
      metrics.set(`${name} Max`, Math.max(value, metrics.get(`${name} Max`) ?? value));
      metrics.set(`${name} Sum`, value + (metrics.get(`${name} Sum`) ?? 0));
    }
  }

  return {
    /** Begins a file: lines before a match are of the same file. */
    beginFile: (lines) => {
      previous = lines.slice(-before || lines.length);
      matches = matches.map((match) => ({ ...match, isOpen: false }));
    },
    add: (line) => {
      lineCount++;
      for (const match of matches) if (match.isOpen && match.after.length < after) match.after.push(line.slice(0, lineMax));
      const match = expression.exec(line);
      if (match) {
        count++;
        lastLine = line.slice(0, lineMax);
        if (match.groups) noteGroups(match.groups);
        matches.push({ line: lastLine, before: previous.map((text) => text.slice(0, lineMax)), after: [], isOpen: true });
        if (matches.length > samples) matches.shift();
      }
      if (before > 0) previous = [...previous, line].slice(-before);
    },
    reading: () => ({
      value: count,
      metrics: { Matches: count, Lines: lineCount, ...Object.fromEntries(metrics) },
      states: { ...Object.fromEntries(states), ...(lastLine === undefined ? {} : { LastLine: lastLine }) },
      ...(count === 0
        ? {}
        : {
            diagnostics: {
              lines: matches.map((match) => match.line),
              ...(before + after > 0
                ? { around: matches.map((match) => ({ before: match.before, line: match.line, after: match.after })) }
                : {}),
            },
          }),
    }),
  };
}
