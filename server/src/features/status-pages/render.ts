/** A status page as HTML: without scripts or content from other hosts, times in UTC. */
import { readFileSync } from 'node:fs';
import { html, type Html } from '../../auth/provider/page.ts';
import type { ComponentStatus, ServiceLevel, StatusDay } from './status.rules.ts';
import type { PlannedMaintenance, PublicIncident, PublicStatus } from './read-status.ts';
import { statusText, type PublicStatusTexts } from './texts.ts';

export const stylesPath = '/status/page.css';
export const styles = readFileSync(new URL('./assets/status.css', import.meta.url), 'utf8');

const joined = (parts: readonly Html[]): Html => ({ html: parts.map((part) => part.html).join('') });
const dayFormat = { month: 'short', day: 'numeric', timeZone: 'UTC' } as const;
const formats: Readonly<Record<string, Intl.DateTimeFormat>> = {
  en: new Intl.DateTimeFormat('en-US', dayFormat),
  de: new Intl.DateTimeFormat('de-DE', dayFormat),
};
const dayText = ({ lang }: PublicStatusTexts, at: number) => formats[lang]?.format(at) ?? '';

function time(texts: PublicStatusTexts, at: number): Html {
  const iso = new Date(at).toISOString();
  const day = dayText(texts, at);
  const year = texts.lang === 'en' ? `, ${iso.slice(0, 4)}` : ` ${iso.slice(0, 4)}`;
  return html`<time datetime="${iso}">${`${day}${year}, ${iso.slice(11, 16)} UTC`}</time>`;
}

function state({ levels }: PublicStatusTexts, level: ServiceLevel): Html {
  return html`<span class="state ${level.toLowerCase()}"><i aria-hidden="true"></i>${levels[level]}</span>`;
}

/** Formats a share as `99.98 %`, rounded down, so that less than 100 never becomes 100. */
function percent({ lang }: PublicStatusTexts, share: number): string {
  return `${(Math.floor(share * 100) / 100).toLocaleString(lang === 'de' ? 'de-DE' : 'en-US', { maximumFractionDigits: 2 })} %`;
}

function summary(texts: PublicStatusTexts, days: readonly StatusDay[]): string {
  const count = (level: ServiceLevel) => days.filter((day) => day.level === level).length;
  return texts.summary(days.length, count('Outage'), count('Degraded'));
}

function component(texts: PublicStatusTexts, { name, level, days, uptime }: ComponentStatus): Html {
  const bars = days.map(
    ({ day, level: of }) =>
      html`<i
        class="${of === null ? 'unknown' : of.toLowerCase()}"
        title="${`${dayText(texts, day)}: ${of === null ? texts.unwatched : texts.levels[of]}`}"
      ></i>`,
  );
  return html`<li>
    <div class="line">
      <h3>${name}</h3>
      ${state(texts, level)}
    </div>
    <div class="bars" role="img" aria-label="${summary(texts, days)}">${joined(bars)}</div>
    <div class="line faint">
      <span>${texts.daysAgo(days.length)}</span><span>${texts.withoutOutage(percent(texts, uptime))}</span><span>${texts.today}</span>
    </div>
  </li>`;
}

function incident(
  texts: PublicStatusTexts,
  { title, status, details, impact, components, started, ended, nextUpdate, updates }: PublicIncident,
): Html {
  const update = (item: PublicIncident['updates'][number]) =>
    html`<li>
      ${item.isDone ? html`${time(texts, item.at)}` : html`<strong>${texts.next}</strong>`}
      <p>${item.text}</p>
    </li>`;
  return html`<article>
    <div class="line">
      <h3>${title}</h3>
      <span class="label">${statusText(texts, status)}</span>
    </div>
    <p class="faint">
      ${texts.since}
      ${time(texts, started)}${ended === null ? undefined : html` ${texts.until} ${time(texts, ended)}`}${
        components.length > 0 ? html` · ${components.join(', ')}` : undefined
      }
    </p>
    ${details ? html`<p>${details}</p>` : undefined} ${impact ? html`<p><strong>${texts.impact}</strong> ${impact}</p>` : undefined}
    ${
      updates.length > 0
        ? html`<ol class="updates">
            ${joined(updates.map(update))}
          </ol>`
        : undefined
    }
    ${nextUpdate === null ? undefined : html`<p class="faint">${texts.nextUpdate} ${time(texts, nextUpdate)}</p>`}
  </article>`;
}

function planned(texts: PublicStatusTexts, { components, from, to }: PlannedMaintenance): Html {
  return html`<article>
    <h3>${components.join(', ')}</h3>
    <p class="faint">${time(texts, from)} ${texts.until} ${time(texts, to)}</p>
  </article>`;
}

function section(title: string, parts: readonly Html[]): Html | undefined {
  return parts.length === 0
    ? undefined
    : html`<section>
        <h2>${title}</h2>
        ${joined(parts)}
      </section>`;
}

function shell({ lang }: PublicStatusTexts, title: string, body: Html, feed?: string): string {
  return html`<!doctype html>
    <html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href="${stylesPath}" />
        ${feed === undefined ? undefined : html`<link rel="alternate" type="application/atom+xml" title="${title}" href="${feed}" />`}
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `.html;
}

/** A form in which visitors enter their address; a mail then asks them to confirm it. */
function subscribe({ updates }: PublicStatusTexts, address: string): Html {
  return html`<section>
    <h2>${updates.title}</h2>
    <form class="subscribe" method="post" action="/status/${address}/subscribe">
      <label for="email">${updates.email}</label>
      <input id="email" name="email" type="email" autocomplete="email" maxlength="254" required />
      <button type="submit">${updates.subscribe}</button>
    </form>
  </section>`;
}

/** `subscribeAt` is the page's address, to which the form for subscriptions posts; undefined: no form. `feed` is the address of its feed. */
export function renderStatus(
  texts: PublicStatusTexts,
  { title, description, level, components, open, past, maintenance, at }: PublicStatus,
  subscribeAt: string | undefined,
  feed?: string,
): string {
  return shell(
    texts,
    title,
    html`<h1>${title}</h1>
      ${description ? html`<p>${description}</p>` : undefined}
      <p class="headline ${level.toLowerCase()}" role="status">${texts.headlines[level]}</p>
      ${section(
        texts.open,
        open.map((row) => incident(texts, row)),
      )}
      <section>
        <h2>${texts.components}</h2>
        <ul class="components">
          ${joined(components.map((row) => component(texts, row)))}
        </ul>
      </section>
      ${section(
        texts.planned,
        maintenance.map((row) => planned(texts, row)),
      )}
      ${section(
        texts.past,
        past.map((row) => incident(texts, row)),
      )}
      ${subscribeAt === undefined ? undefined : subscribe(texts, subscribeAt)}
      <footer class="faint">
        ${texts.asOf} ${time(texts, at)}. ${texts.reload}${feed === undefined ? undefined : html` <a href="${feed}">${texts.feed}</a>`}
      </footer>`,
    feed,
  );
}

export function renderMissing(texts: PublicStatusTexts): string {
  const { page, title, text } = texts.missing;
  return shell(
    texts,
    page,
    html`<h1>${title}</h1>
      <p>${text}</p>`,
  );
}

/** Returns a page with a short message about what a link or a form of a status page did. */
export function renderNote(texts: PublicStatusTexts, title: string, text: string, more?: Html): string {
  return shell(
    texts,
    title,
    html`<h1>${title}</h1>
      <p role="status">${text}</p>
      ${more}`,
  );
}

/** Returns a form with one button, which alone has an effect: programs that check links in mails open the page too. */
export const confirmButton = (label: string): Html => html`<form method="post"><button type="submit">${label}</button></form>`;
