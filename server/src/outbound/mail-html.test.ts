import { expect, it } from 'vitest';
import { htmlOf } from './mail-html.ts';

it('makes paragraphs, a table of facts and links', () => {
  const html = htmlOf(
    'Disk full: Disk /var on srv-db-07\n\nCondition: Metric Disk > 90\nRule: https://ops.example.com/rules?id=1&q=disabled\nSee https://a.example/x.',
  );
  expect(html).toContain(
    '<th scope="row" style="padding:2px 16px 2px 0;vertical-align:top;text-align:left;font-weight:600;white-space:nowrap">Condition</th>',
  );
  expect(html).toContain('Metric Disk &gt; 90</td>');
  expect(html).toContain(
    '<a href="https://ops.example.com/rules?id=1&amp;q=disabled">https://ops.example.com/rules?id=1&amp;q=disabled</a>',
  );
  expect(html).toContain('<p style="margin:0 0 12px">See <a href="https://a.example/x">https://a.example/x</a>.</p>');
});

it('escapes what stands in the text, also in links', () => {
  const html = htmlOf(`<script>alert(1)</script>\nName: "<b>"\nhttps://a.example/?q='><img>`);
  expect(html).not.toMatch(/<script|<b>|<img/);
  expect(html).toContain('&lt;script&gt;');
  expect(html).toContain('<a href="https://a.example/?q=">');
});
