/** Errors in the form of SCIM (RFC 7644, 3.12). */
type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'
  | 'sensitive';

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** A refusal; `detail` is for the people who set the provisioning up. */
export class ScimRefusal extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail);
    this.name = 'ScimRefusal';
    this.status = status;
    this.scimType = scimType;
  }
}

export const invalidValue = (detail: string): ScimRefusal => new ScimRefusal(400, detail, 'invalidValue');
export const missing = (kind: string, id: string): ScimRefusal => new ScimRefusal(404, `There is no ${kind} ${id} in this directory.`);

export function scimErrorBody(status: number, detail: string, scimType?: string): object {
  return { schemas: [errorSchema], status: String(status), detail, ...(scimType ? { scimType } : {}) };
}
