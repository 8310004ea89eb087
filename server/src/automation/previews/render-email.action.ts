/** Returns the mail that an email action of a protocol would send for a work unit. Sends nothing. */
import { renderEmail } from '@cloudfit/contract/actions/automation.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Ctx } from '../../context/ctx.ts';
import { namedOnly, readParameters, type ActionParameters } from '../../features/protocols/parameters.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';
import { filledParameters } from '../action-context.ts';
import { ActionFailure } from '../action-result.ts';
import { unitColumns, unitValues, withNames, type PlaceholderUnit } from '../unit-values.ts';
import { readerOfMail } from '../reader-values.ts';
import { composeEmail, type ComposedMail, type MailCause } from '../send-email.ts';

interface PreviewRow {
  unit: PlaceholderUnit;
  tenant_name: string;
  tenant_email: string | null;
  action_definition_id: string;
  parameters: string;
  input_parameters: string | null;
}

const prepared = `select ${unitColumns('w')} as unit, t.name as tenant_name, t.internal_notification_email_address as tenant_email,
  a.action_definition_id, a.parameters, d.input_parameters
from work_unit w join tenant t on t.tenant_id = w.tenant_id
join protocol_action a on a.protocol_id = w.protocol_id and (a.tenant_id is null or a.tenant_id = w.tenant_id)
join action_definition d on d.action_definition_id = a.action_definition_id
where w.work_unit_id = $1 and a.protocol_action_id = $2`;

const secret = /\{Secret:[^{}]*\}/g;

/** Masks the placeholders of secrets; the values are read only when a mail is sent. */
function masked(text: string | undefined): string {
  return (text ?? '').replaceAll(secret, '******');
}

function compose(cause: MailCause): ComposedMail {
  try {
    return composeEmail(cause);
  } catch (error) {
    throw error instanceof ActionFailure ? validationFailed([{ target: 'userDefinedParams', message: error.message }]) : error;
  }
}

async function prepare(ctx: Ctx, workUnitId: number, protocolActionId: string): Promise<PreviewRow> {
  await get(ctx, servedOf(workUnits), workUnitId);
  const [row] = await ctx.db.query<PreviewRow>({ name: 'render-email', text: prepared, values: [workUnitId, protocolActionId] });
  if (!row) throw notFound('Protocol Action');
  if (row.action_definition_id !== builtInAction.email)
    throw validationFailed([{ target: 'protocolActionId', message: 'Only actions that send an email have a preview.' }]);
  return row;
}

/** `publicUrl` is the base address of the links in the mail. */
export function renderEmailAction(publicUrl: string): ImplementedAction {
  return implement(renderEmail, async (ctx, { workUnitId, protocolActionId, userDefinedParams }) => {
    const { unit, tenant_name, tenant_email, ...action } = await prepare(ctx, workUnitId, protocolActionId);
    const userParameters = namedOnly((userDefinedParams ?? {}) as ActionParameters, action.input_parameters ?? '');
    const parameters = { ...readParameters(action.parameters), ...userParameters };
    const context = {
      ...unitValues(await withNames(ctx.db, unit), publicUrl),
      // The link that acknowledges is only for the recipient of the mail, so the preview masks it.
      AckUrl: `${publicUrl}/ack/***`,
      ackUrl: `${publicUrl}/ack/***`,
      TenantId: unit.tenantId,
      TenantName: tenant_name,
      CorrelationId: ctx.correlationId,
    };
    const values = { ...context, ProtocolActionId: protocolActionId, ...filledParameters(parameters, context) };
    const mail = compose({
      parameters,
      tenant: { name: tenant_name, email: tenant_email },
      workUnitId,
      values,
      reader: await readerOfMail(ctx.db, parameters, tenant_email, values),
    });
    return {
      to: masked(mail.to),
      cc: masked(mail.cc),
      bcc: masked(mail.bcc),
      subject: masked(mail.subject),
      body: masked(mail.text),
    };
  });
}
