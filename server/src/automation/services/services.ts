/** The services that subscriptions send to, by name. */
import type { LinkingService } from '@cloudfit/contract/events/services.ts';
import { github, linkOfGitHub, readGitHub } from './github.ts';
import type { ReadCall } from './read-call.ts';
import type { LinkState, Service } from './service.ts';

export interface ReferenceOfUnit {
  url: string;
  id: string;
  place: string;
  address: string;
}

interface ServiceEntry {
  service: Service;
  /** Undefined: nothing comes back from there. */
  read?: ReadCall;
  /** The ticket that the reference of a unit names; undefined when it is none of the place. */
  linkOf?: (reference: ReferenceOfUnit) => LinkState | undefined;
}

export const services: Readonly<Record<LinkingService, ServiceEntry>> = {
  GitHub: { service: github, read: readGitHub, linkOf: linkOfGitHub },
};
