/** The services that subscriptions send to, by name. */
import type { LinkingService } from '@cloudfit/contract/events/services.ts';
import { github, linkOfGitHub, readGitHub } from './github.ts';
import { jira, linkOfJira, readJira } from './jira.ts';
import { mattermost, mattermostChat, readMattermost } from './mattermost.ts';
import type { ReadCall } from './read-call.ts';
import type { Chat, LinkState, ReferenceOfUnit, Service } from './service.ts';
import { linkOfServiceNow, readServiceNow, serviceNow } from './servicenow.ts';
import { readSlack, slack, slackChat } from './slack.ts';
import { teams } from './teams.ts';

interface ServiceEntry {
  service: Service;
  /** Undefined: nothing comes back from there. */
  read?: ReadCall;
  chat?: Chat;
  /** The ticket that the reference of a unit names; undefined when it is none of the place. */
  linkOf?: (reference: ReferenceOfUnit) => LinkState | undefined;
}

export const services: Readonly<Record<LinkingService, ServiceEntry>> = {
  GitHub: { service: github, read: readGitHub, linkOf: linkOfGitHub },
  Jira: { service: jira, read: readJira, linkOf: linkOfJira },
  ServiceNow: { service: serviceNow, read: readServiceNow, linkOf: linkOfServiceNow },
  Slack: { service: slack, read: readSlack, chat: slackChat },
  Mattermost: { service: mattermost, read: readMattermost, chat: mattermostChat },
  Teams: { service: teams },
};
