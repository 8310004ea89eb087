/**
 * Puts a report on the clipboard as HTML for mail programs. The HTML has inline styles only, because mail programs drop any
 * other styles on paste.
 */
import type { Report, ReportSection } from '@cloudfit/contract/communications/report.ts';

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const safe = (text: string) => text.replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? mark);

const font = 'font-family:Segoe UI,Roboto,Arial,sans-serif;font-size:14px;line-height:1.5';

const paragraphs = (text: string) =>
  text
    .trim()
    .split(/\n{2,}/)
    .filter(Boolean)
    .map((part) => `<p style="margin:0 0 10px">${safe(part).replaceAll('\n', '<br>')}</p>`)
    .join('');

function sectionHtml({ title, text, facts = [], items = [] }: ReportSection): string {
  const rows = facts.map(
    ([label, value]) =>
      `<tr><th scope="row" style="text-align:left;vertical-align:top;font-weight:600;padding:2px 18px 2px 0;white-space:nowrap">${safe(label)}</th><td style="vertical-align:top;padding:2px 0">${safe(value).replaceAll('\n', '<br>')}</td></tr>`,
  );
  return [
    title ? `<h2 style="font-size:15px;margin:18px 0 6px">${safe(title)}</h2>` : '',
    rows.length > 0 ? `<table style="border-collapse:collapse;${font}"><tbody>${rows.join('')}</tbody></table>` : '',
    items.length > 0
      ? `<ul style="margin:0 0 10px;padding-left:22px">${items.map((item) => `<li>${safe(item).replaceAll('\n', '<br>')}</li>`).join('')}</ul>`
      : '',
    paragraphs(text ?? ''),
  ].join('');
}

export function reportHtml(title: string, report: Report): string {
  return `<div style="${font}"><h1 style="font-size:20px;line-height:1.3;margin:0 0 14px">${safe(title)}</h1>${report.sections.map(sectionHtml).join('')}</div>`;
}

/** Puts the report on the clipboard as rich text, and as plain text for programs that take no rich text. */
export async function copyReport(title: string, report: Report): Promise<void> {
  const plain = `${title}\n\n${report.text}\n`;
  const item = new ClipboardItem({
    'text/html': new Blob([reportHtml(title, report)], { type: 'text/html' }),
    'text/plain': new Blob([plain], { type: 'text/plain' }),
  });
  await navigator.clipboard.write([item]);
}
