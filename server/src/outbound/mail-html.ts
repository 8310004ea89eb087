/** The HTML form of a mail's text: paragraphs, a table for lines of `Name: value`, links. Everything is escaped. */

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

export function htmlOf(text: string): string {
  const blocks = text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== '')
    .map(block);
  return `<!doctype html><html><body style="font:14px/1.5 system-ui,sans-serif">\n${blocks.join('\n')}\n</body></html>`;
}
