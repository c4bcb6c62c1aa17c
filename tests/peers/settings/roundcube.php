<?php
$config['db_dsnw'] = 'sqlite:///@FOLDER@/database?mode=0600';
$config['imap_host'] = '127.0.0.1:@IMAP@';
$config['smtp_host'] = '127.0.0.1:@SMTP@';
$config['smtp_user'] = '';
$config['smtp_pass'] = '';
$config['des_key'] = 'looking-glass-looking-24';
$config['enable_spellcheck'] = false;
$config['htmleditor'] = @HTMLEDITOR@;
