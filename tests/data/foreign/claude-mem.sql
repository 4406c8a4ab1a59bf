-- The tables of claude-mem 13 as far as they are read, with a few made rows.
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT, project TEXT, platform_source TEXT, custom_title TEXT, started_at_epoch INTEGER, status TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT, title TEXT, subtitle TEXT, narrative TEXT, facts TEXT, concepts TEXT, files_read TEXT, files_modified TEXT, created_at TEXT, created_at_epoch INTEGER, merged_into_project TEXT, metadata TEXT, mood TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, files_read TEXT, files_edited TEXT, created_at_epoch INTEGER);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, session_db_id INTEGER, prompt_number INTEGER, prompt_text TEXT, created_at_epoch INTEGER);
INSERT INTO observations VALUES
 (1,'s1','shop',NULL,'bugfix','Checkout retried twice','', 'The client retried a timed out payment without an idempotency key.','["Keys are made by the client now","409 means: already done"]','["problem-solution"]','["src/api.py"]','["src/pay.py"]','2026-03-02T10:00:00.000Z',1772445600000,NULL,NULL,'glad'),
 (2,'s1','shop',NULL,'decision','Queue is NATS JetStream','', 'Chosen over RabbitMQ for replay.','[]','["trade-off"]','[]','[]','2026-03-02T10:05:00.000Z',1772445900000,NULL,NULL,NULL),
 (3,'s1','shop/fast-worktree',NULL,'discovery','Migrations lock the table','', 'Run them at night.','not json','["gotcha"]','[]','[]','2026-03-03T10:00:00.000Z',1772532000000,NULL,NULL,NULL),
 (4,'s2','observer-sessions',NULL,'change','its own work','', 'nothing of the user','[]','[]','[]','[]','2026-03-03T10:00:00.000Z',1772532000000,NULL,NULL,NULL),
 (5,'s3','blog','an old row that has text only','change',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'2025-03-03T10:00:00.000Z',1741000000000,NULL,NULL,NULL);
INSERT INTO session_summaries VALUES
 (1,'s1','shop','make payments idempotent','the retry path','timeouts hide success','keys on every payment','document the header','','["src/api.py"]','["src/pay.py"]',1772446000000);
INSERT INTO user_prompts VALUES (1,1,1,'please fix the double charge',1772445000000);
