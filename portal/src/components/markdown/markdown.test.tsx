import '../../testing/browser.ts';
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Markdown } from './markdown.tsx';
import { parseMarkdown } from './parse-markdown.ts';

afterEach(cleanup);
const shown = (text: string) => render(<Markdown text={text} words={(words) => words} />).container;
const html = (text: string) => shown(text).firstElementChild?.innerHTML;

it.each([
  ['**bold** _em_ ~~gone~~ `code <b>`', '<p><strong>bold</strong> <em>em</em> <del>gone</del> <code>code &lt;b&gt;</code></p>'],
  ['# Big\n\n> quoted\n> more\n\n---', '<h4>Big</h4><blockquote><p>quoted<br>more</p></blockquote><hr>'],
  ['- a\n- [ ] b\n- [x] c\n\n3. d', '<ul><li>a</li><li>☐ b</li><li>☑ c</li></ul><ol start="3"><li>d</li></ol>'],
  ['```sh\nls -l <x>\n```', '<pre><code>ls -l &lt;x&gt;</code></pre>'],
  [
    'a|b\n-|-\n1|**2**',
    '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table>',
  ],
  [
    '[**log**](https://example.com/a_b)',
    '<p><a href="https://example.com/a_b" title="https://example.com/a_b" target="_blank" rel="noreferrer"><strong>log</strong></a></p>',
  ],
  [
    '<mailto:mara@example.com>',
    '<p><a href="mailto:mara@example.com" title="mailto:mara@example.com" target="_blank" rel="noreferrer">mailto:mara@example.com</a></p>',
  ],
])('shows %j', (text, expected) => expect(html(text)).toBe(expected));

it.each([
  ['Called.\nNobody there.', '<p>Called.<br>Nobody there.</p>'],
  ['Title\n=====\n[1]: https://example.com "x"', '<p>Title<br>=====<br>[1]: https://example.com "x"</p>'],
  ['~5 to ~10 of #1504 at snake_case_name', '<p>~5 to ~10 of #1504 at snake_case_name</p>'],
  ['https://example.com/_a_/*b*', '<p>https://example.com/_a_/*b*</p>'],
  ['a <b>c</b> &lt; d', '<p>a &lt;b&gt;c&lt;/b&gt; &amp;lt; d</p>'],
])('keeps the words of a text that was written before: %j', (text, expected) => expect(html(text)).toBe(expected));

it.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>\n\n<svg onload=alert(1)>\n<iframe src="javascript:alert(1)">',
  '<div>\n**<a href="javascript:alert(1)">x</a>**\n</div>',
  '[x](javascript:alert(1)) [x](JaVaScRiPt:alert(1)) [x](java\tscript:alert(1)) [x](&#106;avascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=) [x](vbscript:x) [x](blob:https://a/b) [x](file:///etc/passwd)',
  '<javascript:alert(1)> [x](//evil.example) [x](/v1/logout) [x](https:)',
  '![x](javascript:alert(1)) ![x](data:image/svg+xml,<svg/onload=alert(1)>)',
  '![[x](javascript:alert(1))](data:x) [![x](javascript:alert(1))](javascript:alert(1))',
  '> - **[x](javascript:alert(1))**\n\n| [x](data:,x) |\n|-|\n| <script>1</script> |',
  '```"><script>alert(1)</script>\nx\n```',
])('renders nothing that runs, loads or leads to another scheme: %j', (text) => {
  const container = shown(text);
  expect(container.querySelectorAll('a, img, script, svg, iframe, [onerror], [onload], [src], [href]')).toHaveLength(0);
  expect(container.textContent).not.toBe('');
});

it('links an image of elsewhere, and puts no link into a link', () => {
  const links = [...shown('[a https://two.example b](https://one.example) ![spy](https://spy.example/p.png)').querySelectorAll('a')];
  expect(links.map(({ href, textContent }) => [href, textContent])).toEqual([
    ['https://one.example/', 'a https://two.example b'],
    ['https://spy.example/p.png', 'spy'],
  ]);
});

it('gives files of the unit to its caller, by name where there is none', () => {
  const id = '0197a3b0-1111-7222-8333-444455556666';
  const text = `![shot.png](file:${id}) [log](file:x)`;
  expect(shown(text).textContent).toBe('shot.png [log](file:x)');
  const withFiles = render(
    <Markdown text={text} words={(words) => words} file={({ id, name, isImage }) => <i>{`${name} ${id} ${isImage}`}</i>} />,
  );
  expect(withFiles.container.querySelector('i')?.textContent).toBe(`shot.png ${id} true`);
});

it.each(['>', '> ', '1. ', '*a_', '['])('does not parse what would hold up the page: %j again and again', (part) => {
  const text = part.repeat(4_000 / part.length);
  expect(parseMarkdown(text)).toBeUndefined();
  expect(shown(text).textContent).toBe(text);
});
