/** All customers on one screen: those that need somebody first, each with its figures; the quiet ones are small. */
import { Link } from 'react-router';
import type { Customer, CustomerState } from '@cloudfit/contract/walls/calls.ts';
import { severities } from '@cloudfit/contract/enums.ts';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { countText } from '../../components/count.ts';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useWallPages } from './wall-pages.tsx';
import './customers.css';

const t = dashboardTexts.customers;

/** Shapes beside the colours, for those who do not tell the colours apart. */
const shapes: Readonly<Record<CustomerState, string>> = { Down: '■', Impaired: '▲', AtRisk: '◆', Unseen: '?', Quiet: '●' };
const shownSeverities = severities.slice(0, 4);

function State({ state, hasWord = true }: { state: CustomerState; hasWord?: boolean }) {
  return (
    <span className={`cust-state ${state}`} title={t.states[state]}>
      <span aria-hidden>{shapes[state]}</span>
      <span className={hasWord ? undefined : 'visually-hidden'}>{t.states[state]}</span>
    </span>
  );
}

function Name({ customer: { tenantId, name }, hasLinks }: { customer: Customer; hasLinks: boolean }) {
  return hasLinks ? (
    <Link className="ellipsis" to={`/${tenantId}/workunitsv2`} title={name}>
      {name}
    </Link>
  ) : (
    <span className="ellipsis" title={name}>
      {name}
    </span>
  );
}

function Figure({ label, value, tone }: { label: string; value: number | null; tone: string }) {
  return (
    <div className={value === null ? 'hidden' : value > 0 ? tone : 'zero'}>
      <dt>{label}</dt>
      <dd className="num">{value === null ? '–' : countText(value)}</dd>
    </div>
  );
}

/** What makes the customer need somebody, in one line. */
function why({ state, breached, warned, devices, silent }: Customer): string {
  if (devices !== null && devices > 0 && silent === devices) return t.allSilent(devices);
  if ((breached ?? 0) > 0) return t.breached(breached ?? 0);
  if ((warned ?? 0) > 0) return t.warned(warned ?? 0);
  if ((silent ?? 0) > 0) return t.silentOf(silent ?? 0, devices ?? 0);
  return state === 'Unseen' ? t.unseenWhy : '';
}

function OnCall({ onCall }: Pick<Customer, 'onCall'>) {
  if (onCall === null) return null;
  return <span className={onCall.length === 0 ? 'ellipsis danger' : 'ellipsis'}>{onCall.length === 0 ? t.nobody : onCall.join(', ')}</span>;
}

function Trend({ trend }: Pick<Customer, 'trend'>) {
  if (trend === null) return null;
  const buckets = trend.map((n, at) => [at, n, n, n, n, 1] as const);
  return (
    <span className="cust-trend">
      <Sparkline series={{ id: 'open', label: t.trend, unit: 'none', buckets, gap: 1 }} from={0} to={trend.length - 1} />
    </span>
  );
}

function LastChange({ lastChange }: Pick<Customer, 'lastChange'>) {
  if (lastChange === null) return null;
  return (
    <span className="cust-change" title={t.lastChange(lastChange.title)}>
      <span className="ellipsis">{lastChange.title}</span> <RelativeTime value={lastChange.at} plain />
    </span>
  );
}

function Cell({ customer, hasLinks }: { customer: Customer; hasLinks: boolean }) {
  const { state, open, breached, warned, silent, lastData } = customer;
  const levels = breached === null ? null : breached + (warned ?? 0);
  return (
    <li className={`cust-cell ${state}`}>
      <div className="cust-name">
        <State state={state} hasWord={false} />
        <Name customer={customer} hasLinks={hasLinks} />
        <Trend trend={customer.trend} />
      </div>
      <dl className="cust-figures">
        {shownSeverities.map((severity) => (
          <Figure key={severity} label={severity} value={open && (open[severity] ?? 0)} tone={severity.toLowerCase()} />
        ))}
        <Figure label={t.silent} value={silent} tone="danger" />
        <Figure label={t.levels} value={levels} tone="danger" />
      </dl>
      <p className="cust-why">
        <span className="ellipsis">{[t.states[state], why(customer)].filter(Boolean).join(' · ')}</span>
        {lastData && (
          <span className="cust-data">
            {t.lastData} <RelativeTime value={lastData} plain />
          </span>
        )}
      </p>
      <p className="cust-foot">
        <OnCall onCall={customer.onCall} />
        <LastChange lastChange={customer.lastChange} />
      </p>
    </li>
  );
}

function QuietCell({ customer, hasLinks }: { customer: Customer; hasLinks: boolean }) {
  const { open } = customer;
  const below = severities.filter((severity) => (open?.[severity] ?? 0) > 0);
  return (
    <li className="cust-cell quiet">
      <div className="cust-name">
        <State state={customer.state} hasWord={false} />
        <Name customer={customer} hasLinks={hasLinks} />
        <Trend trend={customer.trend} />
      </div>
      <p className="cust-foot">
        <span className="ellipsis">
          {below.length === 0 ? t.noneOpen : below.map((severity) => `${severity} ${countText(open?.[severity] ?? 0)}`).join(' · ')}
        </span>
        <OnCall onCall={customer.onCall} />
      </p>
      <p className="cust-foot">
        <LastChange lastChange={customer.lastChange} />
      </p>
    </li>
  );
}

const sum = (customers: readonly Customer[], of: (customer: Customer) => number | null | undefined): number =>
  customers.reduce((total, customer) => total + (of(customer) ?? 0), 0);

export function CustomersBoard({ customers, hasLinks }: { customers: readonly Customer[]; hasLinks: boolean }) {
  const [pages, page] = useWallPages('.cust-cell');
  if (customers.length === 0) return <p className="tile-note">{t.none}</p>;
  const quiet = customers.filter(({ state }) => state === 'Quiet').toSorted((a, b) => a.name.localeCompare(b.name));
  const busy = customers.filter(({ state }) => state !== 'Quiet');
  const states = (Object.keys(shapes) as CustomerState[]).map((state) => ({
    state,
    n: customers.filter((customer) => customer.state === state).length,
  }));
  return (
    // Without links, the keyboard reaches what is outside of the window only by the element that scrolls.
    <div className="customers" role="group" aria-label={t.title} {...(hasLinks ? {} : { tabIndex: 0 })}>
      <ul className="cust-sum" aria-label={t.sum}>
        {states.map(
          ({ state, n }) =>
            (n > 0 || state !== 'Unseen') && (
              <li key={state}>
                <b className="num">{countText(n)}</b> <State state={state} />
              </li>
            ),
        )}
        {shownSeverities.map((severity) => (
          <li key={severity}>
            <b className="num">{countText(sum(customers, ({ open }) => open?.[severity]))}</b> {severity}
          </li>
        ))}
        <li>
          <b className="num">{countText(sum(customers, ({ silent }) => silent))}</b>{' '}
          {t.silentOfAll(sum(customers, ({ devices }) => devices))}
        </li>
        <li className="cust-legend">{t.trendHours}</li>
      </ul>
      <div ref={pages} className="cust-pages">
        {busy.length > 0 && (
          <section aria-label={t.busy(busy.length)}>
            <h3>{t.busy(busy.length)}</h3>
            <ul className="cust-cells">
              {busy.map((customer) => (
                <Cell key={customer.tenantId} customer={customer} hasLinks={hasLinks} />
              ))}
            </ul>
          </section>
        )}
        {quiet.length > 0 && (
          <section aria-label={t.quiet(quiet.length)}>
            <h3>{t.quiet(quiet.length)}</h3>
            <ul className="cust-cells small">
              {quiet.map((customer) => (
                <QuietCell key={customer.tenantId} customer={customer} hasLinks={hasLinks} />
              ))}
            </ul>
          </section>
        )}
      </div>
      {page}
    </div>
  );
}
