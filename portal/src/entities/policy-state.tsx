/** What a device has from policies, and the selections that it is in and why. */
import { policyStateOfDevice } from '@cloudfit/contract/calls.ts';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import { policyRingTexts } from '@cloudfit/contract/messages/policy-rings.en.ts';
import { policyItems } from '@cloudfit/contract/resources/policies.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { useCall } from '../api/call.ts';
import { Loaded } from '../calls/loaded.tsx';
import { Chip } from '../components/chips.tsx';
import { countText } from '../components/count.ts';
import { exactTime } from '../theme/times.ts';
import { conditionText } from './filter-words.ts';
import { ColumnHeads } from '../components/table/column-heads.tsx';
import './policy-state.css';

const t = policyTexts.device;

type PolicyState = CallOutput<typeof policyStateOfDevice>;
type Item = PolicyState['items'][number];

function valueText({ kind, value }: Item): string {
  if (kind === 'Heartbeat') return t.seconds(countText(Number(value)));
  if (kind === 'Package') return value === 'PreReleases' ? t.preReleases : value || t.newest;
  return kind === 'Tag' ? '' : value;
}

function ItemRow({ item }: { item: Item }) {
  const { kind, label, state, detail, policyName, over, mended } = item;
  return (
    <tr>
      <td>{policyTexts.kinds[kind]}</td>
      <td>{kind === 'Heartbeat' ? '' : label}</td>
      <td className="mono">{valueText(item)}</td>
      <td>
        {policyName}
        {over.length > 0 && <div className="faint">{t.over(over.join(', '))}</div>}
      </td>
      <td>
        <Chip tone={state === 'Set' ? 'ok' : state === 'Kept' ? 'info' : 'warn'} dot>
          {state === 'Set' ? t.asSet : state === 'Kept' ? t.keeps : t.failed}
        </Chip>
        {detail !== null && <div className="faint">{detail}</div>}
        {mended > 0 && <div className="faint">{t.mended(countText(mended))}</div>}
      </td>
    </tr>
  );
}

export function PolicyState({ deviceId }: { deviceId: string }) {
  const query = useCall(policyStateOfDevice, { id: deviceId }, { refreshedBy: policyItems.name });
  return (
    <Loaded query={query}>
      {({ isPending, problem, items, policies, exceptions, selections }) => (
        <div className="policy-state">
          {isPending && problem === null && <p className="notice">{t.pending}</p>}
          {problem !== null && <p className="notice warn">{t.problem(problem)}</p>}
          <section>
            <h3>{t.items}</h3>
            {items.length === 0 ? (
              <p className="faint">{t.noItems}</p>
            ) : (
              <div className="policy-table">
                <table>
                  <ColumnHeads names={[t.kind, t.name, t.value, t.policy, t.state]} />
                  <tbody>
                    {items.map((item) => (
                      <ItemRow key={item.key} item={item} />
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </section>
          {exceptions.length > 0 && (
            <section>
              <h3>{t.exceptions}</h3>
              <ul>
                {exceptions.map(({ policyExceptionId, policyName, label, until, reason }) => (
                  <li key={policyExceptionId}>
                    {policyName}: {label ?? t.wholePolicy}, {until === null ? t.endless : t.until(exactTime(until))}
                    <div className="faint">{reason}</div>
                  </li>
                ))}
              </ul>
            </section>
          )}
          <section>
            <h3>{t.policies}</h3>
            {policies.length === 0 && <p className="faint">{t.noPolicies}</p>}
            <ol>
              {policies.map(({ policyId, name, rollout }) => (
                <li key={policyId}>
                  {name}
                  {rollout && <span className="faint"> {policyRingTexts.ring(rollout.ring + 1, rollout.hasNew)}</span>}
                </li>
              ))}
            </ol>
          </section>
          <section>
            <h3>{t.selections}</h3>
            {selections.length === 0 && <p className="faint">{t.noSelections}</p>}
            <ul>
              {selections.map(({ deviceSelectionId, name, since, because }) => (
                <li key={deviceSelectionId}>
                  <strong>{name}</strong>
                  <span className="muted">
                    {' '}
                    {t.since} {exactTime(since)}
                  </span>
                  <div className="policy-reasons">
                    {t.because}
                    {because.map((reason) => {
                      const text = conditionText(reason);
                      return text === undefined ? (
                        <code key={reason}>{reason}</code>
                      ) : (
                        <Chip key={reason} title={reason}>
                          {text}
                        </Chip>
                      );
                    })}
                  </div>
                </li>
              ))}
            </ul>
          </section>
        </div>
      )}
    </Loaded>
  );
}
