/** The HTML form of a mail: paragraphs, a table for lines of `Name: value`, links, a table of its own. Everything is escaped. */

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (part) => entities[part] ?? part);

const address = /https?:\/\/[^\s<>"']+/g;

function withLinks(text: string): string {
  let html = '';
  let at = 0;
  for (const match of text.matchAll(address)) {
    const url = match[0].replace(/[.,;:!?)\]]+$/, '');
    html += `${escaped(text.slice(at, match.index))}<a href="${escaped(url)}">${escaped(url)}</a>`;
    at = match.index + url.length;
  }
  return html + escaped(text.slice(at));
}

/** A short name, a colon and a value; an address does not match. */
const row = /^([^\s:][^:\n]{0,40}): (\S.*)$/;

const cell = 'padding:2px 16px 2px 0;vertical-align:top;text-align:left';

function block(text: string): string {
  const lines = text.split('\n');
  const parts: string[] = [];
  let rows: string[] = [];
  let plain: string[] = [];
  const endRows = () => {
    if (rows.length > 0) parts.push(`<table role="presentation" style="border-collapse:collapse;margin:0 0 12px">${rows.join('')}</table>`);
    rows = [];
  };
  const endPlain = () => {
    if (plain.length > 0) parts.push(`<p style="margin:0 0 12px">${plain.map(withLinks).join('<br>')}</p>`);
    plain = [];
  };
  for (const line of lines) {
    const [, name, value] = row.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      endRows();
      plain.push(line);
    } else {
      endPlain();
      rows.push(
        `<tr><th scope="row" style="${cell};font-weight:600;white-space:nowrap">${escaped(name)}</th><td style="${cell}">${withLinks(value)}</td></tr>`,
      );
    }
  }
  endRows();
  endPlain();
  return parts.join('\n');
}

type MailTable = readonly (readonly string[])[];

const bordered = 'padding:4px 12px 4px 0;border-bottom:1px solid #cccccc;vertical-align:top';

/** The first column names the row; the others are figures, which stand at the right. */
function tableOf(rows: MailTable): string {
  const lines = rows.map((cells, y) => {
    const parts = cells.map((text, x) => {
      const isHead = y === 0 || x === 0;
      const style = `${bordered};text-align:${x === 0 ? 'left' : 'right'}${y === 0 ? ';font-weight:600' : ';font-weight:400'}`;
      const [open, close] = isHead ? [`th scope="${y === 0 ? 'col' : 'row'}"`, 'th'] : ['td', 'td'];
      return `<${open} style="${style}">${escaped(text)}</${close}>`;
    });
    return `<tr>${parts.join('')}</tr>`;
  });
  return `<table style="border-collapse:collapse;margin:0 0 12px">${lines.join('\n')}</table>`;
}

/** The table for readers of the plain text: columns of one width each. */
export function plainTable(rows: MailTable): string {
  const widths = (rows[0] ?? []).map((_, x) => Math.max(...rows.map((cells) => cells[x]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((text, x) => (x === 0 ? text.padEnd(widths[x] ?? 0) : text.padStart(widths[x] ?? 0)));
  return rows.map((cells) => line(cells).join('  ').trimEnd()).join('\n');
}

export function htmlOf(text: string, table: MailTable = []): string {
  const blocks = text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map(block);
  if (table.length > 0) blocks.push(tableOf(table));
  return `<!doctype html><html><body style="font:14px/1.5 system-ui,sans-serif">\n${blocks.join('\n')}\n</body></html>`;
}
