/** What calls take and answer beside JSON, in the API description: forms, files and their parts, streams, packets by the line. */
import { agentTokenRefusal } from '@cloudfit/contract/agent/identity.ts';
import { agentToken, readConfiguration } from '@cloudfit/contract/actions/agent.ts';
import { evidenceFile } from '@cloudfit/contract/actions/compliance.ts';
import { acceptPackets } from '@cloudfit/contract/actions/ingest.ts';
import { changes } from '@cloudfit/contract/actions/live.ts';
import { metadata, openApiDescription, serviceDocument } from '@cloudfit/contract/actions/metadata.ts';
import { downloadPackageVersion, downloadSamplePackage, uploadPackages } from '@cloudfit/contract/actions/packages.ts';
import { addFileOfWorkUnit, fileOfWorkUnit } from '@cloudfit/contract/actions/work-units/files.ts';
import { photoOfPerson } from '@cloudfit/contract/actions/people.ts';
import { currentUserPhoto } from '@cloudfit/contract/actions/session.ts';
import { answerHeaders } from './openapi-answers.ts';
import { packetExamples } from './openapi-examples.ts';
import { json } from './openapi-parts.ts';
import type { Schema, Schemas } from './openapi-schemas.ts';

interface CallForm {
  /** Names of parameters among the components. */
  parameters?: readonly string[];
  /** The content of the body; the schema is that of its declaration. */
  content?: (schema: Schema) => Record<string, object>;
  /** The answers, instead of `success` as 200, which is what the declaration says. */
  answers?: (success: object, schemas: Schemas) => Record<string, object>;
}

const file: Schema = { type: 'string', format: 'binary' };

/** A description, a model or a picture, of which the client may have this version already. */
const cached: CallForm = { parameters: ['ifNoneMatch'], answers: (success) => ({ '200': { ...success, ...answerHeaders('etag') } }) };
const photo: CallForm = { ...cached, answers: (success) => ({ '200': { ...success, ...answerHeaders('etag', 'disposition') } }) };
const download: CallForm = { answers: (success) => ({ '200': { ...success, ...answerHeaders('disposition') } }) };
const ofWholeFile = ['etag', 'disposition', 'acceptRanges', 'digest', 'sha256'];

/** By the name of the call. */
const forms: Record<string, CallForm> = {
  [acceptPackets.name]: {
    content: (schema) => ({
      'application/json': { schema, examples: packetExamples['application/json'] },
      'application/x-ndjson': { schema: { type: 'string' }, examples: packetExamples['application/x-ndjson'] },
    }),
    answers: (success, schemas) => ({
      '200': { ...success, ...answerHeaders('packets') },
      '400': {
        description: 'The body is wrong, or every packet was refused: then `value` has the reasons too.',
        ...answerHeaders('packets'),
        ...json(schemas.ref('Error')),
      },
    }),
  },
  [agentToken.name]: {
    content: (schema) => ({ 'application/x-www-form-urlencoded': { schema } }),
    answers: (success, schemas) => {
      const refused = { ...answerHeaders('retryAfter'), ...json(schemas.of(agentTokenRefusal, 'output')) };
      return {
        '200': success,
        '400': { description: 'The assertion is refused, or nobody has promoted the machine yet.', ...refused },
        '401': { description: 'The server does not know the key.', ...refused },
      };
    },
  },
  [uploadPackages.name]: {
    content: ({ properties = {}, required = [] }) => ({
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['file-1', ...required],
          properties: {
            'file-1': { ...file, description: 'A zip with a manifest; further ones are `file-2`, `file-3` ...' },
            'signature-1': { type: 'string', description: "A publisher's signature of `file-1` in Base64." },
            ...properties,
          },
          patternProperties: { '^file-[0-9]{1,4}$': file, '^signature-[0-9]{1,4}$': { type: 'string' } },
        },
      },
    }),
    answers: (success) => ({ '201': { ...success, description: 'The new versions.' } }),
  },
  [downloadPackageVersion.name]: {
    parameters: ['range', 'ifRange', 'ifNoneMatch'],
    answers: (success) => ({
      '200': { ...success, ...answerHeaders(...ofWholeFile) },
      '206': { ...success, description: 'The range of the file.', ...answerHeaders(...ofWholeFile, 'contentRange') },
    }),
  },
  [addFileOfWorkUnit.name]: {
    content: () => ({ 'multipart/form-data': { schema: { type: 'object', required: ['file-1'], properties: { 'file-1': file } } } }),
    answers: (success) => ({ '201': { ...success, description: 'The file, to which a note can refer.' } }),
  },
  [fileOfWorkUnit.name]: photo,
  [downloadSamplePackage.name]: download,
  [evidenceFile.name]: download,
  [changes.name]: { parameters: ['lastEventId'] },
  [readConfiguration.name]: cached,
  [photoOfPerson.name]: photo,
  [currentUserPhoto.name]: {
    ...photo,
    answers: (success, schemas) => ({ ...photo.answers?.(success, schemas), '204': { description: 'There is none.' } }),
  },
  [serviceDocument.name]: cached,
  [metadata.name]: cached,
  [openApiDescription.name]: cached,
};

/** Returns what the call has beside JSON; most have nothing. */
export function formOfCall(name: string): CallForm {
  return forms[name] ?? {};
}

/** Returns the schema of content that is no JSON of a declared shape. */
export function contentSchema(type: string): Schema {
  if (type === 'application/json') return { type: 'object', additionalProperties: true };
  return /^text\/|xml$/.test(type) ? { type: 'string' } : file;
}
