import { ApiError, notFound } from '../api-error.ts';
import type { Call, Handlers, Reply } from '../call.ts';
import { renderCommit } from '../json/commit.ts';
import { renderRepository } from '../json/repository.ts';
import { renderUser } from '../json/user.ts';
import { apiUrl, webUrl } from '../site.ts';
import type { Role } from '../state.ts';

const METADATA = ['metadata:read'] as const;
const CONTENTS = ['contents:read'] as const;
/** The old field knows four words only. */
const PERMISSION: Record<Role, string> = {
  admin: 'admin',
  maintain: 'write',
  write: 'write',
  triage: 'read',
  read: 'read',
  none: 'none',
};

export const repositoryHandlers: Handlers = {
  'repos/get': { needs: METADATA, run: call => ({ json: renderRepository(call.site, call.repo.fullName) }) },
  'repos/get-collaborator-permission-level': { needs: METADATA, run: getPermission },
  'repos/get-branch-rules': {
    needs: METADATA,
    run: call => ({ list: call.site.state.branchRules.map(detailed(call)) }),
  },
  'repos/get-branch': {
    needs: CONTENTS,
    run: call => {
      const name = call.params['branch'] ?? '';
      const sha = call.repo.sha(`refs/heads/${name}`);
      if (sha === undefined) throw notFound('Branch not found');
      const self = apiUrl(call.site, `/branches/${name}`, call.repo.fullName);
      const disabled = {
        enabled: false,
        required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] },
      };
      return {
        json: {
          name,
          commit: renderCommit(call.site, call.repo, sha),
          _links: { self, html: webUrl(call.site, `/tree/${name}`, call.repo.fullName) },
          protected: false,
          protection: disabled,
          protection_url: `${self}/protection`,
        },
      };
    },
  },
  'rate-limit/get': {
    needs: [],
    run: call => {
      const { used } = call.token;
      const limit = call.site.settings.hourlyLimit;
      const reset = Math.floor(call.site.now().getTime() / 1000) + 3600;
      const core = { limit, used, remaining: Math.max(0, limit - used), reset };
      const search = { limit: 30, used: 0, remaining: 30, reset };
      return { json: { resources: { core, search }, rate: core } };
    },
  },
};

function getPermission(call: Call): Reply {
  const { site } = call;
  const login = (call.params['username'] ?? '').toLowerCase();
  const user = site.state.users.get(login);
  if (user === undefined) throw notFound(`${call.params['username']} is not a user`);
  if (user.type === 'Organization') throw new ApiError(404, { message: 'Not Found' });
  // Anybody reads a public repository.
  const role = site.state.collaborators.get(login) ?? (site.settings.private ? 'none' : 'read');
  const permission = PERMISSION[role];
  const may = (...roles: Role[]) => roles.includes(role);
  return {
    json: {
      permission,
      role_name: role,
      user: {
        ...renderUser(site, user),
        role_name: role,
        permissions: {
          admin: may('admin'),
          maintain: may('admin', 'maintain'),
          push: may('admin', 'maintain', 'write'),
          triage: may('admin', 'maintain', 'write', 'triage'),
          pull: role !== 'none',
        },
      },
    },
  };
}

function detailed(call: Call): (rule: Record<string, unknown>) => Record<string, unknown> {
  return rule => ({ ruleset_source_type: 'Repository', ruleset_source: call.repo.fullName, ruleset_id: 1, ...rule });
}
