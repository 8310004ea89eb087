/** Mailboxes and their tokens. The value of a token is shown only once, when it is made. */
import { mailboxTokenPrefix } from '@cloudfit/contract/mail/mailboxes.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { mailboxes } from '@cloudfit/contract/resources/mailboxes.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { escalationFaults } from '../../auth/escalation-faults.ts';
import { createIntegrationToken } from '../../auth/integration-token.ts';
import { hostOf, policyProblem, type SecretPolicy } from '../../auth/secret-use.ts';
import { may, type Ctx } from '../../context/ctx.ts';
import { createFromBody } from '../../resources/create.ts';
import { serve, type FieldError, type RowChange, type Served } from '../../resources/served.ts';

type MailboxRow = Row<typeof mailboxes>;

/** Creates a mailbox; returns the new row with its token, of which the database stores only the hash. */
export async function createMailbox(ctx: Ctx, body: unknown): Promise<MailboxRow & { generatedToken: string }> {
  const { hash, hint, token } = createIntegrationToken(mailboxTokenPrefix);
  const row = await createFromBody(ctx, servedMailboxes, body, { columns: { token_hash: hash, token_hint: hint } });
  return { ...row, generatedToken: token };
}

const isCertificate = (text: string): boolean => /^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/.test(text.trim());

const isLoopback = (address: string): boolean => /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/.test(address);

function signInFaults({ host, signIn, tokenAddress, clientId }: MailboxRow): FieldError[] {
  if (!host || signIn !== 'OAuth2') return [];
  const errors: FieldError[] = [];
  if (!tokenAddress) errors.push({ target: 'tokenAddress', message: 'Please enter the address at which the provider gives tokens.' });
  else if (!URL.canParse(tokenAddress)) errors.push({ target: 'tokenAddress', message: 'The token address is not a valid address.' });
  else if (tokenAddress.startsWith('http:') && !isLoopback(tokenAddress))
    errors.push({ target: 'tokenAddress', message: 'The token address must begin with https, because the client secret is sent there.' });
  if (!clientId)
    errors.push({ target: 'clientId', message: 'Please enter the client ID under which CloudFit is registered at the provider.' });
  return errors;
}

/** Where the secret is sent: to the server of the mails, or to who gives tokens for it. */
const receiverOf = ({ host, signIn, tokenAddress }: MailboxRow): string => (signIn === 'OAuth2' ? hostOf(tokenAddress) : (host ?? ''));

function fieldFaults(row: MailboxRow): FieldError[] {
  const { host, userName, passwordSecret, certificate, folder, workUnitTypeId } = row;
  const errors: FieldError[] = signInFaults(row);
  if (host && !userName) errors.push({ target: 'userName', message: 'Please enter the name with which the mailbox is read.' });
  if (host && !passwordSecret)
    errors.push({ target: 'passwordSecret', message: 'Please enter the secret of the tenant in which the password is stored.' });
  if (host && folder.trim() === '') errors.push({ target: 'folder', message: 'Please enter the folder that is read, usually INBOX.' });
  if (certificate && !isCertificate(certificate))
    errors.push({ target: 'certificate', message: 'Please enter a certificate in PEM, from -----BEGIN CERTIFICATE----- to its end.' });
  if (workUnitTypeId === workUnitType.changeRequest)
    errors.push({
      target: 'workUnitTypeId',
      message: 'A mail has no plan, so it cannot open a change request. Please choose another type.',
    });
  return errors;
}

/** The fields that say where a password is sent. */
const destination: ReadonlySet<string> = new Set([
  'passwordSecret',
  'refreshSecret',
  'host',
  'port',
  'security',
  'certificate',
  'userName',
  'signIn',
  'tokenAddress',
  'clientId',
  'scope',
]);

/** Whoever names a secret decides where it is sent, which needs the permission to edit the tenant. */
async function secretFaults(ctx: Ctx, { verb, after, changed }: RowChange<MailboxRow>): Promise<FieldError[]> {
  const { passwordSecret, refreshSecret, signIn, tenantId } = after;
  if (!passwordSecret) return [];
  const redirects = changed.some((name) => destination.has(name));
  if (redirects && !may(ctx, permission('Tenants', 'edit'), tenantId))
    return [
      {
        target: 'passwordSecret',
        message: 'Only a person who may edit the tenant may name its secrets in a mailbox, or change where they are sent.',
      },
    ];
  if (verb !== 'create' && !redirects) return [];
  const uses = [
    { target: 'passwordSecret', name: passwordSecret },
    ...(signIn === 'OAuth2' && refreshSecret ? [{ target: 'refreshSecret', name: refreshSecret }] : []),
  ];
  const policies = await ctx.db.query<SecretPolicy>({
    name: 'mailbox-secrets',
    text: `select name, allowed_hosts as "allowedHosts", allowed_actions as "allowedActions" from tenant_secret where tenant_id = $1 and name = any($2)`,
    values: [tenantId, uses.map(({ name }) => name)],
  });
  return uses.flatMap(({ target, name }) => {
    const policy = policies.find((each) => each.name === name);
    if (!policy) return [{ target, message: `The tenant has no secret ${name}. Please create it on the page of the tenant first.` }];
    const problem = policyProblem(policy, { actionDefinitionId: undefined, host: receiverOf(after) });
    return problem === undefined ? [] : [{ target, message: problem }];
  });
}

const address = `select name from mailbox where lower(address) = lower($1) and mailbox_id is distinct from $2 and tenant_id = $3 limit 1`;

async function faultsOf(ctx: Ctx, change: RowChange<MailboxRow>): Promise<FieldError[]> {
  const { verb, before, after, changed } = change;
  if (verb === 'delete') return [];
  const errors = fieldFaults(after);
  if (changed.includes('address')) {
    const [other] = await ctx.db.query<{ name: string }>({
      text: address,
      values: [after.address, before?.mailboxId ?? null, after.tenantId],
    });
    if (other) errors.push({ target: 'address', message: `The mailbox ${other.name} has this address.` });
  }
  if (ctx.actor.kind === 'system') return errors;
  // Mails do what whoever declares the mailbox may do.
  const deeds = [permission('WorkUnits', 'create'), permission('WorkUnits', 'edit')];
  if (verb === 'create' || changed.includes('enabled')) errors.push(...escalationFaults(ctx, after.tenantId, deeds, 'enabled'));
  return [...errors, ...(await secretFaults(ctx, change))];
}

export const servedMailboxes: Served<typeof mailboxes> = serve(mailboxes, 'mailbox', { check: faultsOf });
