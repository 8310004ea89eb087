/** All entries of the palette for the typed text, in groups. */
import { useMemo } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { accessTexts } from '@cloudfit/contract/messages/access.en.ts';
import { addDevicesTexts as addTexts } from '@cloudfit/contract/messages/add-devices.en.ts';
import { communicationContactTexts } from '@cloudfit/contract/messages/communication-contacts.en.ts';
import { changeCalendarTexts } from '@cloudfit/contract/messages/change-calendar.en.ts';
import { serviceLevelTexts } from '@cloudfit/contract/messages/service-levels.en.ts';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { noiseTexts } from '@cloudfit/contract/messages/noise.en.ts';
import { whyTexts } from '@cloudfit/contract/messages/why.en.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { paletteTexts as t } from '@cloudfit/contract/messages/palette.en.ts';
import { subscriptionIn } from '../../api/context.ts';
import { byUse, favoriteTenants, recentTenants } from '../../api/known-tenants.ts';
import { useMay, usePermissions, useSubscriptions, useTenants, useWorkUnitTypes } from '../../api/lookups.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { signOut } from '../../api/session.ts';
import type { IconName } from '../../components/icon.tsx';
import type { CommandSet } from '../../hooks/page-commands.ts';
import { pathOfView, showColumnsOf, useSavedViews } from '../../views/use-saved-views.ts';
import { toggleMode, useMode } from '../../theme/mode.ts';
import { addressInTenant, addressOf, homeKey, itemOf, menu, visibleMenu } from '../navigation.ts';
import { switchContext } from '../shell/switch-context.ts';
import { useChosenContext } from '../shell/use-chosen-context.ts';
import type { OverlayName } from '../shell/use-overlay.ts';
import type { Command, CommandGroup } from './command.ts';
import { bestMatches } from './match.ts';
import { useOperatorCommands } from './use-operator-commands.ts';
import { usePageGroups } from './use-page-groups.ts';
import { useServerMatches } from './use-server-matches.ts';

const maxTenants = 6;

/** What tells matches with the same name apart. */
const placed = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(' · ');

/** The commands that open screens: those that the person sees in the menu, and some that are not in the menu. */
function useScreens(): Command[] {
  const { data: permissions } = usePermissions();
  const { tenantId } = useChosenContext();
  const navigate = useNavigate();
  return useMemo(() => {
    const go = (to: string) => () => void navigate(to);
    const home = tenantId ? `/${tenantId}` : '/';
    /** Returns the command of a screen that is not in the menu. */
    const more = (id: string, label: string, words: string, icon: IconName): Command => {
      const to = `${home === '/' ? '' : home}/${id}`;
      return { id, label, words, icon, to, run: go(to) };
    };
    return [
      { id: 'home', label: en.shell.home, icon: 'home', keys: ['g', homeKey], to: home, run: go(home) },
      ...visibleMenu(menu, permissions ?? new Set()).flatMap((group) =>
        group.items.map((item): Command => {
          const to = addressOf(item, tenantId);
          return {
            id: item.path,
            label: item.label,
            words: item.words,
            icon: item.icon,
            ...(item.key ? { keys: ['g', item.key] } : {}),
            to,
            run: go(to),
          };
        }),
      ),
      more('notifications', en.shell.howNotified, t.words.notifications, 'mail'),
      ...(permissions?.has(permission('Packages.Publishers', 'view'))
        ? [more('publishers', packageTexts.publishers.title, t.words.publishers, 'lock')]
        : []),
      ...(permissions?.has(permission('Packages', 'view'))
        ? [more('mibs', packageTexts.mibs.title, packageTexts.mibs.words, 'packages')]
        : []),
      ...(permissions?.has(permission('WorkUnits.ServiceLevels', 'view'))
        ? [
            more('servicelevels', serviceLevelTexts.title, serviceLevelTexts.words, 'sliders'),
            more('workingcalendars', serviceLevelTexts.calendars, serviceLevelTexts.calendarWords, 'sliders'),
          ]
        : []),
      ...(permissions?.has(permission('Maintenance', 'view'))
        ? [more('changefreezes', changeCalendarTexts.freezes, changeCalendarTexts.freezeWords, 'lock')]
        : []),
      ...(permissions?.has(permission('WorkUnitCommunications', 'edit'))
        ? [more('communicationtemplates', communicationContactTexts.templates, communicationContactTexts.templateWords, 'quote')]
        : []),
      ...(permissions?.has(permission('Rules', 'view'))
        ? [more('why', whyTexts.title, whyTexts.words, 'info'), more('noise', noiseTexts.title, noiseTexts.words, 'rules')]
        : []),
    ];
  }, [navigate, permissions, tenantId]);
}

/** The commands that open saved views. */
function useViewCommands(): Command[] {
  const { data } = useSavedViews();
  const { tenantId } = useChosenContext();
  const navigate = useNavigate();
  return (data?.views ?? []).map((view): Command => {
    const item = itemOf(view.screen);
    const to = `${pathOfView(view, tenantId)}?${view.address}`;
    const run = () => {
      showColumnsOf(view);
      void navigate(to);
    };
    return {
      id: `view-${view.savedViewId}`,
      label: view.name,
      words: t.words.view,
      icon: item?.icon ?? 'star',
      hint: item?.label,
      to,
      run,
    };
  });
}

function useCreations(): Command[] {
  const { data: types = [] } = useWorkUnitTypes();
  const may = useMay();
  const navigate = useNavigate();
  const { tenantId } = useChosenContext();
  const ofTenant = (id: string, label: string, words: string, address: string): Command => {
    const to = `/${tenantId}/${address}`;
    return { id, label, words, icon: 'plus', to, run: () => void navigate(to) };
  };
  const invite = { id: 'invite', label: accessTexts.invitations.panelTitle, words: t.words.invite, icon: 'mail' } as const;
  const toInvite = '/people?invite=new';
  const people: Command[] =
    may('People', 'view') && may('People', 'create') ? [{ ...invite, to: toInvite, run: () => void navigate(toInvite) }] : [];
  const others: Command[] = tenantId
    ? [
        ...people,
        ...(may('Rules', 'view') && may('Rules', 'create')
          ? [ofTenant('createRule', t.createRule, t.words.createRule, 'rules?id=new')]
          : []),
        ...(may('PendingDevices', 'view') && may('PendingDevices', 'create') && may('Tokens', 'create')
          ? [ofTenant('addDevices', addTexts.title, addTexts.words, 'pendingdevices?add=new')]
          : []),
      ]
    : people;
  if (!may('WorkUnits', 'create')) return others;
  const units = types.map((type): Command => {
    const to = `/workunitsv2?workUnitId=new&type=${type.workUnitTypeId}`;
    return { id: `create-${type.workUnitTypeId}`, label: t.createUnit(type.name), icon: 'plus', to, run: () => void navigate(to) };
  });
  return [...units, ...others];
}

function useTenantCommands(typed: string): Command[] {
  const { data: tenants = [] } = useTenants();
  const { data: subscriptions = [] } = useSubscriptions();
  const { pathname, search } = useLocation();
  const { tenantId: inAddress } = useParams();
  const now = useChosenContext();
  const favorites = favoriteTenants.use();
  const recent = recentTenants.use();
  const others = byUse(
    tenants.filter((tenant) => tenant.tenantId !== now.tenantId),
    favorites,
    recent,
  );
  const familiar = new Set([...favorites, ...recent.map((tenant) => tenant.tenantId)]);
  // Without typed text, shows only favorites and recent tenants: an installation has hundreds of tenants.
  const shown = typed
    ? bestMatches(typed, others, (tenant) => tenant.name, maxTenants)
    : others.filter((item) => familiar.has(item.tenantId));
  return shown.slice(0, maxTenants).map((tenant) => {
    const subscription = subscriptionIn(tenant.tenantId, now.user?.subscriptionId, subscriptions);
    return {
      id: tenant.tenantId,
      label: tenant.name,
      icon: 'tenants',
      hint: subscription?.name,
      run: () =>
        void switchContext(
          tenant.tenantId,
          subscription?.subscriptionId ?? null,
          addressInTenant(pathname + search, inAddress, tenant.tenantId),
        ),
    };
  });
}

function useActions(show: (name: OverlayName) => void): Command[] {
  const mode = useMode();
  const theme = mode === 'dark' ? en.shell.toLight : en.shell.toDark;
  return [
    { id: 'theme', label: theme, icon: mode === 'dark' ? 'sun' : 'moon', keys: ['t'], run: toggleMode },
    { id: 'settings', label: en.shell.settings, icon: 'settings', run: () => show('settings') },
    ...(currentImpersonation()
      ? []
      : [{ id: 'photo', label: en.shell.photo, words: t.words.photo, icon: 'person', run: () => show('photo') } as const]),
    { id: 'keys', label: en.shell.keyboardHelp, icon: 'keyboard', keys: ['?'], run: () => show('keys') },
    { id: 'license', label: en.shell.license, icon: 'info', run: () => show('license') },
    { id: 'logOut', label: en.shell.logOut, icon: 'logOut', run: () => void signOut() },
  ];
}

const searched = (command: Pick<Command, 'label' | 'words'>) => [command.label, command.words ?? ''].join(' ');

export function useCommands(text: string, show: (name: OverlayName) => void, sets: readonly CommandSet[]) {
  const typed = text.trim();
  const navigate = useNavigate();
  const screens = useScreens();
  const views = useViewCommands();
  const creations = useCreations();
  const tenants = useTenantCommands(typed);
  const actions = useActions(show);
  const answers = useServerMatches(text);
  const operators = useOperatorCommands(text);
  const page = usePageGroups(sets, text, searched);
  const { tenantId } = useChosenContext();
  const { data: allTenants = [] } = useTenants();
  const tenantName = (id: string) => allTenants.find(({ tenantId }) => tenantId === id)?.name;
  const units = answers.units.map((unit): Command => {
    const to = `/workunitsv2?workUnitId=${unit.workUnitId}`;
    const label = t.unit(unit.publicWorkUnitId, unit.title);
    return {
      id: `unit-${unit.workUnitId}`,
      label,
      icon: 'workUnits',
      hint: placed(unit.stateId, tenantName(unit.tenantId)),
      to,
      run: () => void navigate(to),
    };
  });
  const devices = answers.devices.map((device): Command => {
    const to = `/${device.tenantId}/devices?id=${device.deviceId}`;
    const hint = tenantName(device.tenantId);
    return { id: `device-${device.deviceId}`, label: device.name, icon: 'devices', hint, to, run: () => void navigate(to) };
  });
  const people = answers.people.map((person): Command => {
    const to = `/people?id=${person.personId}`;
    return { id: `person-${person.personId}`, label: person.name, icon: 'person', hint: person.userName, to, run: () => void navigate(to) };
  });
  const articles = answers.articles.map((article): Command => {
    const of = article.tenantId ?? tenantId;
    const to = `/${of}/knowledge/${article.knowledgeArticleId}`;
    const hint = article.tenantId ? tenantName(article.tenantId) : undefined;
    return { id: `article-${article.knowledgeArticleId}`, label: article.title, icon: 'info', hint, to, run: () => void navigate(to) };
  });
  const unitGroup = { title: t.groups.workUnits, commands: units };
  const groups: CommandGroup[] = [
    ...(operators.length > 0 ? [{ title: t.groups.operators, commands: operators }] : []),
    ...(answers.isNumber ? [unitGroup] : []),
    ...page.groups,
    { title: t.groups.screens, commands: bestMatches(typed, [...screens, ...views], searched) },
    { title: t.groups.create, commands: bestMatches(typed, creations, searched) },
    { title: t.groups.actions, commands: bestMatches(typed, actions, searched) },
    { title: t.groups.tenants, commands: tenants },
    // Matches by name come from the server after the other entries; at the end, they move no entry under the pointer.
    { title: t.groups.devices, commands: devices },
    { title: t.groups.articles, commands: articles },
    { title: t.groups.people, commands: people },
    ...(answers.isNumber ? [] : [unitGroup]),
  ];
  return { groups: groups.filter((group) => group.commands.length > 0), isSearching: answers.isSearching || page.isSearching };
}
