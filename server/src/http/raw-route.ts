/** The form of a call that shapes its own answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Action } from '@cloudfit/contract/action.ts';
import type { Ctx } from '../context/ctx.ts';

/** A call that needs the request itself: a stream, an ETag, a body of its own form. */
export type RawCall = (ctx: Ctx, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export interface RawRoute {
  action: Action;
  call: RawCall;
  /** It answers when something happens; metrics leave it out. */
  waits?: true;
  /** It gets the bytes of a JSON body that is large or that parsing would change. */
  takesBytes?: true;
}
