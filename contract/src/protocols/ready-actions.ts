/** Templates of actions for other services, such as chat, paging and tickets; a tenant adds its secrets and addresses. */

export interface ReadyAction {
  id: string;
  name: string;
  description: string;
  inputParameters: string;
  httpMethod: 'POST';
  endpointUrl: string;
  headers: string | null;
  body: string;
  /** What the receiver answers when it has the message, if that is more than a status. */
  successText?: string;
  successField?: string;
  successValue?: string;
}

const unitFacts = 'Work unit {PublicWorkUnitId}: {Title}';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const pagerDuty = (event: 'trigger' | 'resolve'): Record<string, unknown> => ({
  routing_key: '{Secret:PagerDutyRoutingKey}',
  event_action: event,
  // Equal for all events of a work unit, so that PagerDuty deduplicates them into one incident.
  dedup_key: 'cloudfit-{TenantId}-{WorkUnitId}',
});

export const readyActions: readonly ReadyAction[] = [
  {
    id: 'slack',
    name: 'Slack message',
    description:
      'Posts to the channel of an incoming webhook. Its address ends in three parts: keep them as the secrets SlackWorkspace, SlackWebhook and SlackKey.',
    inputParameters: '',
    httpMethod: 'POST',
    endpointUrl: 'https://hooks.slack.com/services/{Secret:SlackWorkspace}/{Secret:SlackWebhook}/{Secret:SlackKey}',
    headers: null,
    body: json({
      text: `{Severity}: {Title}`,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: '{Severity}: {PublicWorkUnitId}' } },
        { type: 'section', text: { type: 'plain_text', text: `${unitFacts}\nState: {State}\nTenant: {TenantName}` } },
        {
          type: 'actions',
          elements: [
            { type: 'button', text: { type: 'plain_text', text: 'Acknowledge' }, url: '{AckUrl}' },
            { type: 'button', text: { type: 'plain_text', text: 'Open' }, url: '{WorkUnitUrl}' },
          ],
        },
      ],
    }),
    successText: 'ok',
  },
  {
    id: 'teams',
    name: 'Microsoft Teams card',
    description:
      'Posts a card by a workflow "When a Teams webhook request is received". Replace the host with that of its address; keep the id and sig of the address as the secrets TeamsWorkflow and TeamsSignature.',
    inputParameters: '',
    httpMethod: 'POST',
    endpointUrl:
      'https://prod-00.westeurope.logic.azure.com/workflows/{Secret:TeamsWorkflow}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig={Secret:TeamsSignature}',
    headers: null,
    body: json({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { type: 'TextBlock', size: 'Medium', weight: 'Bolder', wrap: true, text: '{Severity}: {Title}' },
              { type: 'TextBlock', wrap: true, text: 'Work unit {PublicWorkUnitId}, {State}, {TenantName}' },
            ],
            actions: [
              { type: 'Action.OpenUrl', title: 'Acknowledge', url: '{AckUrl}' },
              { type: 'Action.OpenUrl', title: 'Open', url: '{WorkUnitUrl}' },
            ],
          },
        },
      ],
    }),
  },
  {
    id: 'pagerduty',
    name: 'PagerDuty incident',
    description:
      'Triggers an incident by the Events API v2; one per work unit. The integration key is the secret PagerDutyRoutingKey. Level: critical, error, warning or info.',
    inputParameters: 'Level',
    httpMethod: 'POST',
    endpointUrl: 'https://events.pagerduty.com/v2/enqueue',
    headers: null,
    body: json({
      ...pagerDuty('trigger'),
      client: 'CloudFit',
      client_url: '{WorkUnitUrl}',
      payload: {
        summary: '{Severity}: {Title}',
        source: '{TenantName}',
        severity: '{Level}',
        custom_details: { workUnit: '{PublicWorkUnitId}', state: '{State}', description: '{Description}' },
      },
      links: [
        { href: '{WorkUnitUrl}', text: 'Open' },
        { href: '{AckUrl}', text: 'Acknowledge in CloudFit' },
      ],
    }),
    successField: 'status',
    successValue: 'success',
  },
  {
    id: 'pagerduty-resolve',
    name: 'PagerDuty resolve',
    description: 'Resolves the incident of the work unit; for OnResolved. The integration key is the secret PagerDutyRoutingKey.',
    inputParameters: '',
    httpMethod: 'POST',
    endpointUrl: 'https://events.pagerduty.com/v2/enqueue',
    headers: null,
    body: json(pagerDuty('resolve')),
    successField: 'status',
    successValue: 'success',
  },
  {
    id: 'opsgenie',
    name: 'Opsgenie alert',
    description: 'Creates an alert; one per work unit. The API key is the secret OpsgenieKey. Priority: P1 to P5.',
    inputParameters: 'Priority',
    httpMethod: 'POST',
    endpointUrl: 'https://api.opsgenie.com/v2/alerts',
    headers: 'Authorization:GenieKey {Secret:OpsgenieKey}',
    body: json({
      message: 'Work unit {PublicWorkUnitId} ({Severity}) of {TenantName}',
      alias: 'cloudfit-{TenantId}-{WorkUnitId}',
      description: '{Title}\n{WorkUnitUrl}\nAcknowledge: {AckUrl}',
      priority: '{Priority}',
      source: 'CloudFit',
      details: { workUnit: '{PublicWorkUnitId}', severity: '{Severity}' },
    }),
  },
  {
    id: 'jira',
    name: 'Jira issue',
    description:
      'Creates an issue in a project of Jira Cloud by its REST API; each run creates one, so use it for OnNew. Replace the host with that of your site. The secret JiraLogin is the base64 text of "e-mail:API token". Project: its key. IssueType: the name of a type of the project, such as Task.',
    inputParameters: 'Project,IssueType',
    httpMethod: 'POST',
    endpointUrl: 'https://your-site.atlassian.net/rest/api/2/issue',
    headers: 'Authorization:Basic {Secret:JiraLogin}',
    body: json({
      fields: {
        project: { key: '{Project}' },
        issuetype: { name: '{IssueType}' },
        summary: '{Severity}: {Title}',
        description: `${unitFacts}\nTenant: {TenantName}\n{WorkUnitUrl}\nAcknowledge: {AckUrl}\n\n{Description}`,
        labels: ['cloudfit'],
      },
    }),
  },
  {
    id: 'sms',
    name: 'SMS by a gateway',
    description:
      'Sends a text by an SMS gateway with a JSON API. Replace address and fields with those of your gateway; its token is the secret SmsToken. To: the phone number. Switch on "Sends SMS to people" when it works.',
    inputParameters: 'To',
    httpMethod: 'POST',
    endpointUrl: 'https://sms.example.com/messages',
    headers: 'Authorization:Bearer {Secret:SmsToken}',
    body: json({ to: '{To}', text: '{Severity} {PublicWorkUnitId} {TenantName}: {Title} {Seen|} {AckUrl}' }),
  },
  {
    id: 'standard-webhook',
    name: 'Standard Webhook',
    description:
      'Posts the work unit as JSON, signed by Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature). Replace the address; the key of the signature, whsec_ and base64, is the secret webhook-signature.',
    inputParameters: 'Type',
    httpMethod: 'POST',
    endpointUrl: 'https://hooks.example.com/cloudfit',
    headers: null,
    body: json({
      type: '{Type}',
      data: {
        workUnit: '{PublicWorkUnitId}',
        title: '{Title}',
        description: '{Description}',
        severity: '{Severity}',
        state: '{State}',
        assignedTo: '{AssignedTo}',
        tenant: '{TenantName}',
        created: '{Created}',
        url: '{WorkUnitUrl}',
        acknowledgeUrl: '{AckUrl}',
      },
    }),
  },
];
