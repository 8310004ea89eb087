/** How rules are at a device or at a tenant: as for all, with own values, or switched off, by whom and until when. */
import { Link } from 'react-router';
import { exceptionsOfDevice, rulesOfTenant } from '@cloudfit/contract/calls.ts';
import type { RuleThere } from '@cloudfit/contract/rules/exceptions/calls.ts';
import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { IconButton } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { countText } from '../../components/count.ts';
import { exactTime } from '../../theme/times.ts';
import { ColumnHeads } from '../../components/table/column-heads.tsx';
import { nextEndMs, UntilCell, useExceptionChanges, ValueCell } from './exception-cells.tsx';
import './rules-there.css';

type Exception = NonNullable<RuleThere['exception']>;

const placeText = ({ appliesTo, target }: Exception) => `${t.places[appliesTo]}${target === null ? '' : ` ${target}`}`;

function stateOf({ exception }: RuleThere): { tone: 'plain' | 'warn' | 'ok'; text: string } {
  if (!exception) return { tone: 'plain', text: t.states.inherited };
  return exception.isOff ? { tone: 'warn', text: t.states.off } : { tone: 'ok', text: t.states.own };
}

interface ThereProps {
  tenantId: string;
  /** Whether the place is the whole tenant, and the person may change what it has otherwise. */
  mayChange: boolean;
}

/** The own values of the tenant, changed in place. */
function OwnCells({ rule, exception, tenantId }: { rule: RuleThere; exception: Exception; tenantId: string }) {
  const changes = useExceptionChanges({ ...exception, tenantId }, placeText(exception));
  return (
    <div className="own-cells">
      {!exception.isOff &&
        rule.constants.map(({ key, condition, value }) => (
          <ValueCell
            key={key}
            label={`${rule.name}: ${condition}`}
            value={exception.ownValues?.[key] ?? ''}
            asForAll={value}
            disabled={changes.isBusy}
            onSave={(constant) => changes.setConstant(key, constant)}
          />
        ))}
      <UntilCell
        label={`${rule.name}: ${ruleExceptions.fields.until.label}`}
        until={exception.until}
        disabled={changes.isBusy}
        onSave={(until) => changes.set({ until })}
      />
      <IconButton small icon="trash" label={t.removeOf(`${placeText(exception)}, ${rule.name}`)} onClick={changes.remove} />
    </div>
  );
}

function RuleLine({ rule, tenantId, mayChange }: ThereProps & { rule: RuleThere }) {
  const { exception, others, ended } = rule;
  const isOwn = exception?.appliesTo === 'Tenant';
  const { tone, text } = stateOf(rule);
  return (
    <tr>
      <td>
        <Link to={`/${tenantId}/rules?id=${rule.ruleId}`}>{rule.name}</Link>
        <div className="faint">{rule.conditions}</div>
      </td>
      <td>
        <Chip tone={tone} dot>
          {text}
        </Chip>
      </td>
      <td>
        {exception && (
          <>
            <Link to={`/${tenantId}/ruleexceptions?id=${exception.ruleExceptionId}`}>{placeText(exception)}</Link>
            <div className="faint">{exception.reason}</div>
          </>
        )}
        {others.length > 0 && <div className="faint">{t.others(others.map(placeText).join(', '))}</div>}
        {ended.map((before) => (
          <div key={before.ruleExceptionId} className="faint">
            <Link to={`/${tenantId}/ruleexceptions?id=${before.ruleExceptionId}`}>
              {t.endedAt(placeText(before), exactTime(before.until ?? ''))}
            </Link>
          </div>
        ))}
        {mayChange && !isOwn && (
          <Link className="btn small" to={`/${tenantId}/ruleexceptions?id=new&f.ruleId=${rule.ruleId}`}>
            {t.add}
          </Link>
        )}
      </td>
      <td>{exception?.modifiedBy}</td>
      <td>
        {mayChange && isOwn ? (
          <OwnCells rule={rule} exception={exception} tenantId={tenantId} />
        ) : (
          exception && (exception.until === null ? t.noEnd : exactTime(exception.until))
        )}
      </td>
    </tr>
  );
}

function RulesTable({ rules, ...there }: ThereProps & { rules: readonly RuleThere[] }) {
  return (
    <div className="rules-there">
      <table>
        <ColumnHeads names={[t.rule, t.state, t.by, t.person, ruleExceptions.fields.until.label]} />
        <tbody>
          {rules.map((rule) => (
            <RuleLine key={rule.ruleId} rule={rule} {...there} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The rules of which an exception fits a device. */
export function RulesOfDevice({ deviceId, tenantId }: { deviceId: string; tenantId: string }) {
  const query = useCall(exceptionsOfDevice, { id: deviceId }, { refreshedBy: ruleExceptions.name });
  return (
    <Loaded query={query}>
      {({ rules }) => (
        <>
          <p className="muted">{t.precedence}</p>
          {rules.length === 0 ? (
            <p className="faint">{t.noneOfDevice}</p>
          ) : (
            <RulesTable rules={rules} tenantId={tenantId} mayChange={false} />
          )}
          <p>
            <Link className="btn small" to={`/${tenantId}/ruleexceptions?id=new&f.deviceId=${deviceId}`}>
              {t.add}
            </Link>
          </p>
        </>
      )}
    </Loaded>
  );
}

/** The rules of several tenants as one of them has them. */
export function RulesOfTenant({ tenantId }: { tenantId: string }) {
  const may = useMay();
  const query = useCall(
    rulesOfTenant,
    { id: tenantId },
    {
      refreshedBy: ruleExceptions.name,
      refetchInterval: ({ state }) =>
        nextEndMs((state.data?.rules ?? []).flatMap(({ exception, others }) => [...(exception ? [exception] : []), ...others])),
    },
  );
  return (
    <Loaded query={query}>
      {({ rules, leftOut }) => (
        <>
          {rules.length === 0 ? (
            <p className="faint">{t.noneInherited}</p>
          ) : (
            <RulesTable rules={rules} tenantId={tenantId} mayChange={may('Rules', 'edit')} />
          )}
          {leftOut > 0 && <p className="faint">{t.leftOut(countText(leftOut))}</p>}
        </>
      )}
    </Loaded>
  );
}
