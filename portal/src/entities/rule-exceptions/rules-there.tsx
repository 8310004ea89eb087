/** How rules are at a device or at a tenant: as for all, with own values, or switched off, by whom and until when. */
import { Link } from 'react-router';
import { exceptionsOfDevice, rulesOfTenant } from '@cloudfit/contract/calls.ts';
import type { RuleThere } from '@cloudfit/contract/rules/exceptions/calls.ts';
import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { useCall } from '../../api/call.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Chip } from '../../components/chips.tsx';
import { countText } from '../../components/count.ts';
import { exactTime } from '../../theme/times.ts';
import { ColumnHeads } from '../../components/table/column-heads.tsx';
import './rules-there.css';

type Exception = NonNullable<RuleThere['exception']>;

const placeText = ({ appliesTo, target }: Exception) => `${t.places[appliesTo]}${target === null ? '' : ` ${target}`}`;

function stateOf({ exception }: RuleThere): { tone: 'plain' | 'warn' | 'ok'; text: string } {
  if (!exception) return { tone: 'plain', text: t.states.inherited };
  return exception.isOff ? { tone: 'warn', text: t.states.off } : { tone: 'ok', text: t.states.own };
}

function RuleLine({ rule, tenantId }: { rule: RuleThere; tenantId: string }) {
  const { exception, others } = rule;
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
      </td>
      <td>{exception?.modifiedBy}</td>
      <td>{exception && (exception.until === null ? t.noEnd : exactTime(exception.until))}</td>
    </tr>
  );
}

function RulesTable({ rules, tenantId }: { rules: readonly RuleThere[]; tenantId: string }) {
  return (
    <div className="rules-there">
      <table>
        <ColumnHeads names={[t.rule, t.state, t.by, t.person, ruleExceptions.fields.until.label]} />
        <tbody>
          {rules.map((rule) => (
            <RuleLine key={rule.ruleId} rule={rule} tenantId={tenantId} />
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
          {rules.length === 0 ? <p className="faint">{t.noneOfDevice}</p> : <RulesTable rules={rules} tenantId={tenantId} />}
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
  const query = useCall(rulesOfTenant, { id: tenantId }, { refreshedBy: ruleExceptions.name });
  return (
    <Loaded query={query}>
      {({ rules, leftOut }) => (
        <>
          {rules.length === 0 ? <p className="faint">{t.noneInherited}</p> : <RulesTable rules={rules} tenantId={tenantId} />}
          {leftOut > 0 && <p className="faint">{t.leftOut(countText(leftOut))}</p>}
        </>
      )}
    </Loaded>
  );
}
