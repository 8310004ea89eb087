/** Who may name tenant secrets where they leave as plain text: those who may read them. */
import { may, type Ctx } from '../context/ctx.ts';
import { permission } from '@cloudfit/contract/permissions.ts';

export function namesSecret(value: unknown): boolean {
  return typeof value === 'string' && /\{Secret:/i.test(value);
}

/** A mail shows a secret to whoever gets it, so that naming one asks what reading it asks. */
export function mailSecretProblem(ctx: Ctx, tenantId: string | null, parameters: Readonly<Record<string, unknown>>): string | undefined {
  if (!Object.values(parameters).some(namesSecret) || may(ctx, permission('Tenants', 'edit'), tenantId)) return undefined;
  return 'Only who may edit the tenant may name its secrets in a mail.';
}
