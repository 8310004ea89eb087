/** Every address of the portal. Screens load when they are first visited. */
import { createBrowserRouter, redirect, type LoaderFunctionArgs, type RouteObject } from 'react-router';
import { loadCode } from '../components/load-code.ts';
import { CallbackPage } from './sign-in/callback-page.tsx';
import { LoginPage } from './sign-in/login-page.tsx';
import { AccessDeniedPage } from './sign-in/access-denied-page.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { PageError } from './page-error.tsx';
import { Shell } from './shell/shell.tsx';
import { Starting } from './sign-in/waiting.tsx';
import { ToCurrentTenant } from './to-current-tenant.tsx';
import { TenantScope } from './tenant-scope.tsx';

const screens: readonly RouteObject[] = [
  {
    path: 'workunitsv2',
    lazy: async () => {
      const { WorkUnitsRoute, loadWorkUnits } = await import('./work-units-route.tsx');
      return { Component: WorkUnitsRoute, loader: loadWorkUnits };
    },
    // The loader runs for the first page only; the grid fetches further pages itself.
    shouldRevalidate: () => false,
  },
  { path: 'inbox', lazy: async () => ({ Component: (await import('./inbox-route.tsx')).InboxRoute }) },
  { path: 'reports', lazy: async () => ({ Component: (await import('../features/reports/reports-page.tsx')).ReportsPage }) },
  { path: 'devices', lazy: async () => ({ Component: (await import('./devices-route.tsx')).DevicesRoute }) },
  { path: 'campaigns', lazy: async () => ({ Component: (await import('../features/campaigns/campaigns-page.tsx')).CampaignsPage }) },
  {
    path: 'workunitcommunications',
    lazy: async () => ({ Component: (await import('../features/communications/communications-page.tsx')).CommunicationsPage }),
  },
  { path: 'dashboards', lazy: async () => ({ Component: (await import('../features/dashboards/dashboards-page.tsx')).DashboardsPage }) },
  { path: 'blocks', lazy: async () => ({ Component: (await import('../features/blocks/blocks-page.tsx')).BlocksPage }) },
  { path: 'rules', lazy: async () => ({ Component: (await import('../features/rules/rules-page.tsx')).RulesPage }) },
  {
    path: 'workunitsettings',
    lazy: async () => ({ Component: (await import('../features/work-unit-settings/work-unit-settings-page.tsx')).WorkUnitSettingsPage }),
  },
  {
    path: 'servicelevels',
    lazy: async () => ({ Component: (await import('../features/service-levels/service-levels-page.tsx')).ServiceLevelsPage }),
  },
  {
    path: 'workingcalendars',
    lazy: async () => ({ Component: (await import('../features/service-levels/working-calendars-page.tsx')).WorkingCalendarsPage }),
  },
  { path: 'packages', lazy: async () => ({ Component: (await import('./packages-route.tsx')).PackagesRoute }) },
  { path: 'mibs', lazy: async () => ({ Component: (await import('../features/packages/mibs-page.tsx')).MibsPage }) },
  { path: 'publishers', lazy: async () => ({ Component: (await import('../features/packages/publishers-page.tsx')).PublishersPage }) },
  {
    path: 'versionreport',
    lazy: async () => ({ Component: (await import('./version-report-route.tsx')).VersionReportRoute }),
  },
  { path: 'compliance', lazy: async () => ({ Component: (await import('../features/compliance/compliance-page.tsx')).CompliancePage }) },
  {
    path: 'compliancereport',
    lazy: async () => ({ Component: (await import('../features/compliance/report-page.tsx')).ComplianceReportPage }),
  },
  { path: 'protocols', lazy: async () => ({ Component: (await import('../features/protocols/protocols-page.tsx')).ProtocolsPage }) },
  { path: 'oncall', lazy: async () => ({ Component: (await import('../features/on-call/on-call-page.tsx')).OnCallPage }) },
  {
    path: 'actioncatalog',
    lazy: async () => ({ Component: (await import('../features/action-catalog/action-catalog-page.tsx')).ActionCatalogPage }),
  },
  { path: 'policies', lazy: async () => ({ Component: (await import('../features/policies/policies-page.tsx')).PoliciesPage }) },
  {
    path: 'deviceselections',
    lazy: async () => ({ Component: (await import('./selections-route.tsx')).SelectionsRoute }),
  },
  {
    path: 'ruleexceptions',
    lazy: async () => ({ Component: (await import('../features/rules/exceptions/rule-exceptions-page.tsx')).RuleExceptionsPage }),
  },
  {
    path: 'tenantgroups',
    lazy: async () => ({ Component: (await import('../features/tenants/tenant-groups-page.tsx')).TenantGroupsPage }),
  },
  { path: 'tenants', lazy: async () => ({ Component: (await import('../features/tenants/tenants-page.tsx')).TenantsPage }) },
  { path: 'customers/:list', lazy: async () => ({ Component: (await import('../features/tenants/tenants-page.tsx')).TenantsPage }) },
  { path: 'tokens', lazy: async () => ({ Component: (await import('../features/tokens/tokens-page.tsx')).TokensPage }) },
  {
    path: 'pendingdevices',
    lazy: async () => ({ Component: (await import('../features/pending-devices/pending-devices-page.tsx')).PendingDevicesPage }),
  },
  {
    path: 'notifications',
    lazy: async () => ({ Component: (await import('../features/notifications/notifications-page.tsx')).NotificationsPage }),
  },
  { path: 'people', lazy: async () => ({ Component: (await import('../features/people/people-page.tsx')).PeoplePage }) },
  {
    path: 'configuration',
    lazy: async () => ({ Component: (await import('../features/configuration/configuration-page.tsx')).ConfigurationPage }),
  },
  { path: 'audit', lazy: async () => ({ Component: (await import('../features/audit/audit-page.tsx')).AuditPage }) },
  { path: 'access', lazy: async () => ({ Component: (await import('../features/people/grants-page.tsx')).GrantsPage }) },
  {
    path: 'directories',
    lazy: async () => ({ Component: (await import('../features/people/directories/directories-page.tsx')).DirectoriesPage }),
  },
  { path: 'invitations', lazy: async () => ({ Component: (await import('../features/people/invitations-page.tsx')).InvitationsPage }) },
  {
    path: 'permissionsets',
    lazy: async () => ({ Component: (await import('../features/people/permission-sets-page.tsx')).PermissionSetsPage }),
  },
  { path: 'why', lazy: async () => ({ Component: (await import('../features/why/why-page.tsx')).WhyPage }) },
  { path: 'activity', lazy: async () => ({ Component: (await import('../features/activity/activity-page.tsx')).ActivityPage }) },
  {
    path: 'maintenance',
    lazy: async () => ({ Component: (await import('../features/maintenance/maintenance-page.tsx')).MaintenancePage }),
  },
  { path: 'matches', lazy: async () => ({ Component: (await import('../features/matches/matches-page.tsx')).MatchesPage }) },
  {
    path: 'installation',
    lazy: async () => ({ Component: (await import('../features/installation/installation-page.tsx')).InstallationPage }),
  },
  { path: 'outbox', lazy: async () => ({ Component: (await import('../features/outbox/outbox-page.tsx')).OutboxPage }) },
  {
    path: 'statuspages',
    lazy: async () => ({ Component: (await import('../features/status-pages/status-pages-page.tsx')).StatusPagesPage }),
  },
  { path: 'noise', lazy: async () => ({ Component: (await import('../features/rules/noise/noise-page.tsx')).NoisePage }) },
  { path: 'locations', lazy: async () => ({ Component: (await import('../features/locations/locations-page.tsx')).LocationsPage }) },
  {
    path: 'changecalendar',
    lazy: async () => ({ Component: (await import('../features/change-calendar/change-calendar-page.tsx')).ChangeCalendarPage }),
  },
  {
    path: 'changefreezes',
    lazy: async () => ({ Component: (await import('../features/change-freezes/change-freezes-page.tsx')).ChangeFreezesPage }),
  },
  {
    path: 'knowledge',
    lazy: async () => ({ Component: (await import('../features/knowledge-articles/knowledge-articles-page.tsx')).KnowledgeArticlesPage }),
  },
  {
    path: 'communicationtemplates',
    lazy: async () => ({ Component: (await import('../features/communications/contacts/templates-page.tsx')).TemplatesPage }),
  },
  {
    path: 'communicationcontacts',
    lazy: async () => ({ Component: (await import('../features/communications/contacts/contacts-page.tsx')).ContactsPage }),
  },
  { path: 'sources', lazy: async () => ({ Component: (await import('../features/sources/sources-page.tsx')).SourcesPage }) },
  { path: 'mailboxes', lazy: async () => ({ Component: (await import('../features/mailboxes/mailboxes-page.tsx')).MailboxesPage }) },
];

const workUnits = screens[0] as RouteObject;
const editPath = 'workUnits/:workUnitId/edit';

/** Its code is not a part of the first page. */
const loadDashboard = async (args: LoaderFunctionArgs) => (await import('../features/dashboards/load-dashboard.ts')).loadDashboard(args);

/** The resolution center has a header of its own, and no menu. */
const resolutionCenter: Omit<RouteObject, 'index' | 'path'> = {
  lazy: async () => ({ Component: (await import('./shell/reduced-shell.tsx')).ReducedShell }),
  HydrateFallback: Starting,
  ErrorBoundary: PageError,
};
const requests: RouteObject = {
  index: true,
  lazy: async () => ({ Component: (await import('../features/resolution-center/resolution-center-page.tsx')).ResolutionCenterPage }),
};

export const routes: RouteObject[] = [
  { path: '/user/login', Component: LoginPage },
  { path: '/user/callback', Component: CallbackPage },
  { path: '/user/accessDenied', Component: AccessDeniedPage },
  {
    path: '/user/accessrequest',
    lazy: async () => ({ Component: (await import('../features/access-request/access-request-page.tsx')).AccessRequestPage }),
    HydrateFallback: Starting,
  },
  { path: '/:tenantId/user/login', Component: LoginPage },
  { ...resolutionCenter, path: '/resolutioncenter', children: [requests] },
  { ...resolutionCenter, path: '/:tenantId/resolutioncenter', children: [{ Component: TenantScope, children: [requests] }] },
  {
    path: '/wall',
    lazy: async () => ({ Component: (await import('../features/dashboards/wall-page.tsx')).WallPage }),
    HydrateFallback: Starting,
  },
  {
    path: '/:tenantId/kiosk',
    lazy: async () => ({ Component: (await import('./shell/kiosk-shell.tsx')).KioskShell }),
    HydrateFallback: Starting,
    ErrorBoundary: PageError,
    children: [
      {
        path: ':dashboardId',
        lazy: async () => ({ Component: (await import('../features/dashboards/kiosk-page.tsx')).KioskPage }),
        loader: loadDashboard,
        shouldRevalidate: () => false,
      },
    ],
  },
  {
    path: '/',
    Component: Shell,
    HydrateFallback: Starting,
    ErrorBoundary: PageError,
    children: [
      { index: true, Component: ToCurrentTenant },
      { ...workUnits },
      { path: editPath, loader: ({ params }) => redirect(`/workunitsv2?workUnitId=${params['workUnitId']}`) },
      ...screens.slice(1).map((screen): RouteObject => ({ path: screen.path ?? '', Component: ToCurrentTenant })),
      {
        path: ':tenantId',
        Component: TenantScope,
        ErrorBoundary: PageError,
        children: [
          { index: true, lazy: async () => ({ Component: (await import('./home-route.tsx')).HomeRoute }) },
          ...screens,
          { path: 'devices/:deviceId', lazy: async () => ({ Component: (await import('./device-route.tsx')).DeviceRoute }) },
          {
            path: 'dashboards/:dashboardId',
            lazy: async () => ({ Component: (await import('../features/dashboards/dashboard-page.tsx')).DashboardPage }),
            loader: loadDashboard,
            // The loader runs for the first render only; the dashboard refreshes its numbers itself.
            shouldRevalidate: () => false,
          },
          { path: 'packets/:id', lazy: async () => ({ Component: (await import('../features/blocks/packet-page.tsx')).PacketPage }) },
          {
            path: 'campaigns/:campaignId',
            lazy: async () => ({ Component: (await import('./campaign-route.tsx')).CampaignRoute }),
          },
          {
            path: 'executions/:id',
            lazy: async () => ({ Component: (await import('../features/activity/execution-page.tsx')).ExecutionPage }),
          },
          {
            path: 'knowledge/:articleId',
            lazy: async () => ({ Component: (await import('../features/knowledge-articles/article-page.tsx')).ArticlePage }),
          },
          { path: 'matches/:id', lazy: async () => ({ Component: (await import('../features/matches/match-page.tsx')).MatchPage }) },
          { path: editPath, loader: ({ params }) => redirect(`/${params['tenantId']}/workunitsv2?workUnitId=${params['workUnitId']}`) },
          { path: 'workunits/index', loader: ({ params }) => redirect(`/${params['tenantId']}/workunitsv2`) },
          { path: '*', Component: NotFoundPage },
        ],
      },
      { path: '*', Component: NotFoundPage },
    ],
  },
];

/** The routes with code that is waited for while the server does not answer; a failed load would be remembered. */
const steady = ({ lazy, children, ...route }: RouteObject): RouteObject =>
  ({
    ...route,
    ...(typeof lazy === 'function' ? { lazy: () => loadCode(lazy) } : {}),
    ...(children ? { children: children.map(steady) } : {}),
  }) as RouteObject;

export const router = createBrowserRouter(routes.map(steady));
