/** The texts of the email action by template name (ACT-037..039), with the placeholders of all actions, in the language of the reader. */
import { emailTemplates, type EmailTemplate } from '@cloudfit/contract/enums.ts';
import type { MailTexts } from '../platform/mail-texts.ts';

export interface Template {
  subject: string;
  body: string;
}

type Templates = Readonly<Record<EmailTemplate, Template>>;

/** Templates for rule matches and other causes without a work unit. `None` sends only the text of the parameters. */
export function matchTemplates({ templates: t }: MailTexts): Templates {
  // `Facts` are several lines about the match, its subject and its rule (`factsOf`).
  const short = t.short;
  const long = `${short}\n${t.more}`;
  const subject = '{Label}';
  return {
    None: { subject, body: '' },
    Simple: { subject, body: short },
    Rule: { subject, body: long },
    Detailed: { subject, body: long },
    GeneralAlert: { subject: t.alert, body: short },
    SOCAlert: { subject: t.securityAlert, body: long },
    AllClear: { subject: t.allClear, body: `${t.backToNormal}\n\n${short}` },
    CfsInternalWuCommNotification: { subject: t.ofUnit, body: `${t.workUnit}\n${long}` },
    ResolutionCenterCreated: { subject: t.received, body: t.receivedText },
    ResolutionCenterResolved: { subject: t.resolved, body: t.resolvedText },
  };
}

/** Templates for the work unit whose protocol sends the mail. */
export function unitTemplates(texts: MailTexts): Templates {
  const { templates: t } = texts;
  const unit = `${t.head}\n\n{Facts}`;
  // `MoreFacts` has only the facts that the description does not contain, so that no fact is repeated.
  const detailed = `${t.head}\n\n{Description}\n\n{MoreFacts}`;
  return {
    ...matchTemplates(texts),
    Simple: { subject: t.unit, body: unit },
    Rule: { subject: t.unit, body: detailed },
    Detailed: { subject: t.unit, body: detailed },
    GeneralAlert: { subject: t.unitAlert, body: unit },
    SOCAlert: { subject: t.unitSecurityAlert, body: detailed },
    AllClear: { subject: t.unitAllClear, body: unit },
    CfsInternalWuCommNotification: { subject: t.unit, body: detailed },
  };
}

export function isTemplate(name: string): name is EmailTemplate {
  return emailTemplates.some((template) => template === name);
}
