-- What a rule says about the work unit that it opens.
set local role app_global;
update action_definition set input_parameters = 'TenantId,ProtocolId,SeverityId,Title,Description,Category,AssignmentGroup,AssignedTo'
where action_definition_id = '0197f000-0000-7000-8000-000000000003';
reset role;
