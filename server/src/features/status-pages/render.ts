/** A status page as HTML: without scripts or content from other hosts, times in UTC. */
import { readFileSync } from 'node:fs';
import { html, type Html } from '../../auth/provider/page.ts';
import type { ComponentStatus, ServiceLevel, StatusDay } from './status.rules.ts';
import type { PlannedMaintenance, PublicIncident, PublicStatus } from './read-status.ts';

export const stylesPath = '/status/page.css';
export const styles = readFileSync(new URL('./assets/status.css', import.meta.url), 'utf8');

const levelText: Record<ServiceLevel, string> = {
  Operational: 'Operational',
  Maintenance: 'Under maintenance',
  Degraded: 'Degraded',
  Outage: 'Outage',
};
const headline: Record<ServiceLevel, string> = {
  Operational: 'All systems are operational',
  Maintenance: 'Maintenance is in progress',
  Degraded: 'Some systems are degraded',
  Outage: 'Some systems have an outage',
};
/** The public text for the status of a communication. */
export const publicStatuses: Readonly<Record<string, string>> = {
  Investigating: 'Investigating',
  ConfirmedImpact: 'Impact confirmed',
  ServiceRestored: 'Service restored',
  Resolved: 'Resolved',
  Cancelled: 'Withdrawn',
};

const joined = (parts: readonly Html[]): Html => ({ html: parts.map((part) => part.html).join('') });
const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const dayText = (at: number) => dayFormat.format(at);

function time(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${`${dayText(at)}, ${iso.slice(0, 4)}, ${iso.slice(11, 16)} UTC`}</time>`;
}

function state(level: ServiceLevel): Html {
  return html`<span class="state ${level.toLowerCase()}"><i aria-hidden="true"></i>${levelText[level]}</span>`;
}

/** Formats a share as `99.98 %`, rounded down, so that less than 100 never becomes 100. */
function percent(share: number): string {
  return `${(Math.floor(share * 100) / 100).toLocaleString('en-US', { maximumFractionDigits: 2 })} %`;
}

function summary(days: readonly StatusDay[]): string {
  const count = (level: ServiceLevel) => days.filter((day) => day.level === level).length;
  const named = (n: number, what: string) => (n === 0 ? [] : [`${n} ${n === 1 ? 'day' : 'days'} ${what}`]);
  const parts = [...named(count('Outage'), 'with an outage'), ...named(count('Degraded'), 'degraded')];
  return `Last ${days.length} days: ${parts.join(', ') || 'no outage'}`;
}

function component({ name, level, days, uptime }: ComponentStatus): Html {
  const bars = days.map(
    ({ day, level: of }) =>
      html`<i
        class="${of === null ? 'unknown' : of.toLowerCase()}"
        title="${`${dayText(day)}: ${of === null ? 'not watched' : levelText[of]}`}"
      ></i>`,
  );
  return html`<li>
    <div class="line">
      <h3>${name}</h3>
      ${state(level)}
    </div>
    <div class="bars" role="img" aria-label="${summary(days)}">${joined(bars)}</div>
    <div class="line faint"><span>${days.length} days ago</span><span>${percent(uptime)} without an outage</span><span>Today</span></div>
  </li>`;
}

function incident({ title, status, details, impact, components, started, ended, nextUpdate, updates }: PublicIncident): Html {
  const update = (item: PublicIncident['updates'][number]) =>
    html`<li>
      ${item.isDone ? html`${time(item.at)}` : html`<strong>Next</strong>`}
      <p>${item.text}</p>
    </li>`;
  return html`<article>
    <div class="line">
      <h3>${title}</h3>
      <span class="label">${publicStatuses[status] ?? status}</span>
    </div>
    <p class="faint">
      Since
      ${time(started)}${ended === null ? undefined : html` until ${time(ended)}`}${
        components.length > 0 ? html` · ${components.join(', ')}` : undefined
      }
    </p>
    ${details ? html`<p>${details}</p>` : undefined} ${impact ? html`<p><strong>Impact:</strong> ${impact}</p>` : undefined}
    ${
      updates.length > 0
        ? html`<ol class="updates">
            ${joined(updates.map(update))}
          </ol>`
        : undefined
    }
    ${nextUpdate === null ? undefined : html`<p class="faint">Next update by ${time(nextUpdate)}</p>`}
  </article>`;
}

function planned({ components, from, to }: PlannedMaintenance): Html {
  return html`<article>
    <h3>${components.join(', ')}</h3>
    <p class="faint">${time(from)} until ${time(to)}</p>
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

function shell(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href="${stylesPath}" />
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `.html;
}

/** A form in which visitors enter their address; a mail then asks them to confirm it. */
function subscribe(address: string): Html {
  return html`<section>
    <h2>Updates by mail</h2>
    <form class="subscribe" method="post" action="/status/${address}/subscribe">
      <label for="email">Email</label>
      <input id="email" name="email" type="email" autocomplete="email" maxlength="254" required />
      <button type="submit">Subscribe</button>
    </form>
  </section>`;
}

/** `subscribeAt` is the page's address, to which the form for subscriptions posts; undefined: no form. */
export function renderStatus(
  { title, description, level, components, open, past, maintenance, at }: PublicStatus,
  subscribeAt: string | undefined,
): string {
  return shell(
    title,
    html`<h1>${title}</h1>
      ${description ? html`<p>${description}</p>` : undefined}
      <p class="headline ${level.toLowerCase()}" role="status">${headline[level]}</p>
      ${section('Open incidents', open.map(incident))}
      <section>
        <h2>Components</h2>
        <ul class="components">
          ${joined(components.map(component))}
        </ul>
      </section>
      ${section('Planned maintenance', maintenance.map(planned))} ${section('Past incidents', past.map(incident))}
      ${subscribeAt === undefined ? undefined : subscribe(subscribeAt)}
      <footer class="faint">As of ${time(at)}. Reload the page for the current state.</footer>`,
  );
}

export function renderMissing(): string {
  return shell(
    'Status page',
    html`<h1>There is no status page here</h1>
      <p>The address is wrong, or the page is not public.</p>`,
  );
}

/** Returns a page with a short message about what a link or a form of a status page did. */
export function renderNote(title: string, text: string, more?: Html): string {
  return shell(
    title,
    html`<h1>${title}</h1>
      <p role="status">${text}</p>
      ${more}`,
  );
}

/** Returns a form with one button, which alone has an effect: programs that check links in mails open the page too. */
export const confirmButton = (label: string): Html => html`<form method="post"><button type="submit">${label}</button></form>`;
