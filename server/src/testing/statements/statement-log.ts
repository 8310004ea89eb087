/** The statements that PostgreSQL logs with `log_statement = all` and `log_line_prefix = 'session %c '`. */

export interface LoggedStatement {
  session: string;
  text: string;
  /** The texts of the parameters, `null` for null. */
  parameters: readonly string[];
}

const begins = /^session (\S+) (\w+): {2}(.*)$/;
const statementOf = /^(?:statement|execute [^:]+|fastpath function call): (.*)$/s;

export function parseStatementLog(lines: readonly string[]): LoggedStatement[] {
  const entries: { session: string; level: string; message: string }[] = [];
  for (const line of lines.join('\n').split('\n')) {
    const [, session, level, message] = begins.exec(line) ?? [];
    const last = entries.at(-1);
    if (session !== undefined && level !== undefined && message !== undefined) entries.push({ session, level, message });
    else if (last) last.message += `\n${line.trim()}`;
  }
  const statements: LoggedStatement[] = [];
  const latest = new Map<string, { parameters: readonly string[] }>();
  for (const { session, level, message } of entries) {
    const text = level === 'LOG' ? statementOf.exec(message)?.[1] : undefined;
    if (text !== undefined) {
      const statement = { session, text, parameters: [] };
      statements.push(statement);
      latest.set(session, statement);
    } else if (level === 'DETAIL' && message.startsWith('Parameters: ')) {
      const statement = latest.get(session);
      if (statement) statement.parameters = [...message.matchAll(/\$\d+ = (?:'((?:[^']|'')*)'|NULL)/g)].map(([, value]) => value ?? 'null');
    }
  }
  return statements;
}

const isCommand = (text: string, word: string): boolean => text.trim().toLowerCase().startsWith(word);
const notifies = (text: string): boolean => text.includes('pg_notify(');

/** Notifications in a transaction that do not stand right before its commit, and all wake-ups in one. */
export function wrongNotifications(statements: readonly LoggedStatement[]): string[] {
  const wrong: string[] = [];
  const open = new Map<string, LoggedStatement[]>();
  for (const statement of statements) {
    const { session, text } = statement;
    const sent = open.get(session);
    if (isCommand(text, 'begin')) open.set(session, []);
    else if (!sent) continue;
    else if (isCommand(text, 'rollback')) open.delete(session);
    else if (isCommand(text, 'commit')) {
      const last = sent.findLastIndex((earlier) => !notifies(earlier.text));
      for (const [at, notification] of sent.entries()) {
        if (!notifies(notification.text)) continue;
        const channel = notification.parameters[0] ?? notification.text;
        if (at < last) wrong.push(`${channel}: before ${sent[at + 1]?.text.slice(0, 100)}`);
        else if (/\b(?:jobs|calls)\b/.test(channel)) wrong.push(`${channel}: in a transaction`);
      }
      open.delete(session);
    } else sent.push(statement);
  }
  return wrong;
}
